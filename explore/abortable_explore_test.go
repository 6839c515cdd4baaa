//go:build doorway_explore

package explore_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/explore"
	"example.org/doorway/internal/tier"
	"example.org/doorway/mutex"
	"example.org/doorway/register"
)

// absorbing returns the constructor of a queue lock whose aborted acquisitions are absorbed:
// the place in the queue stays, and whoever reaches it leaves at once.
func absorbing(newLock func(n int) mutex.Mutex, join func(l *lock, p *register.Process) (reached func() bool)) func(n int) mutex.Mutex {
	enter := func(l *lock, p *register.Process) bool {
		reached := join(l, p)
		if reached() {
			return true
		}
		p.Absorb(func() {
			reached()
			l.exit(l, p)
		})
		return false
	}
	return func(n int) mutex.Mutex { return &abortable{newLock(n).(*lock), enter, enter, enter} }
}

func mcsJoin(l *lock, p *register.Process) func() bool {
	i := p.ID()
	l.next[i].Set(0)
	predecessor := l.tail.Swap(p.Name())
	p.Doorway()
	if predecessor != 0 {
		l.reg[i].Set(1)
		l.next[predecessor-1].Store(p.Name())
	}
	return func() bool { return l.reg[i].Await(p, zero) }
}

func clhJoin(l *lock, p *register.Process) func() bool {
	i := p.ID()
	node := l.mine[i].Load()
	l.reg[node].Set(1)
	predecessor := l.tail.Swap(node)
	p.Doorway()
	l.pred[i].Set(predecessor)
	return func() bool { return l.reg[predecessor].Await(p, zero) }
}

func ticketJoin(l *lock, p *register.Process) func() bool {
	mine := l.tail.FetchAdd(1)
	p.Doorway()
	return func() bool { return l.head.Await(p, func(v uint64) bool { return v == mine }) }
}

// With aborts that are absorbed, the queue locks are what they are without.
func TestAbortableQueueLocks(t *testing.T) {
	for _, c := range []struct {
		name     string
		lock     func(n int) mutex.Mutex
		from, to int // processes
		cap      uint64
	}{
		{"MCS", absorbing(making(mcsEntry, mcsExit), mcsJoin), 2, tier.Pick(3, 4), 0},
		{"CLH", absorbing(beginning(clhBegin, clhEntry, clhExit), clhJoin), 2, tier.Pick(3, 4), 0},
		{"ticket", absorbing(making(ticketEntry, ticketExit), ticketJoin), 2, tier.Pick(3, 4), 7},
	} {
		for n := c.from; n <= c.to; n++ {
			t.Run(fmt.Sprintf("%s/%d", c.name, n), func(t *testing.T) {
				r := check(t, explore.Config{
					New: c.lock, Processes: n, Cap: c.cap, GiveUp: true,
					Only: explore.Properties{MutualExclusion: true, DeadlockFree: true, StarvationFree: true, FIFO: true},
				})
				t.Logf("%d states", r.States)
				assert.Equal(t, "exclusion holds, deadlock holds, starvation holds, steadfast holds, fifo holds, races unknown, safe unknown, bypasses 1", verdicts(r))
			})
		}
	}
}
