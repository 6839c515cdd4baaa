//go:build doorway_explore

package explore_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/explore"
	"example.org/doorway/internal/tier"
	"example.org/doorway/mutex"
	"example.org/doorway/register"
)

// An abortable is a queue lock whose aborted acquisitions are absorbed: the place in
// the queue stays, and whoever reaches it leaves at once.
type abortable struct {
	*queue
	join func(l *queue, p *register.Process) (reached func() bool)
}

func (a *abortable) TryLock(i int) bool { return a.procs.Try(i, a.enter) }

func (a *abortable) LockContext(ctx context.Context, i int) error {
	return a.procs.Context(ctx, i, a.enter)
}

func (a *abortable) enter(p *register.Process) bool {
	reached := a.join(a.queue, p)
	if reached() {
		return true
	}
	p.Absorb(func() {
		reached()
		a.exit(a.queue, p)
	})
	return false
}

func absorbing(lock func(n int) mutex.Mutex, join func(l *queue, p *register.Process) func() bool) func(n int) mutex.Mutex {
	return func(n int) mutex.Mutex { return &abortable{lock(n).(*queue), join} }
}

func mcsJoin(l *queue, p *register.Process) func() bool {
	i := p.ID()
	l.next[i].Set(0)
	predecessor := l.tail.Swap(p.Name())
	p.Doorway()
	if predecessor != 0 {
		l.flags[i].Set(1)
		l.next[predecessor-1].Store(p.Name())
	}
	return func() bool { return l.flags[i].Await(p, zero) }
}

func clhJoin(l *queue, p *register.Process) func() bool {
	i := p.ID()
	node := l.mine[i].Load()
	l.flags[node].Set(1)
	predecessor := l.tail.Swap(node)
	p.Doorway()
	l.pred[i].Set(predecessor)
	return func() bool { return l.flags[predecessor].Await(p, zero) }
}

func ticketJoin(l *queue, p *register.Process) func() bool {
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
		{"MCS", absorbing(queueing(unchanged, mcsEntry, mcsExit), mcsJoin), 2, tier.Pick(3, 4), 0},
		{"CLH", absorbing(queueing(clhBegin, clhEntry, clhExit), clhJoin), 2, tier.Pick(3, 4), 0},
		{"ticket", absorbing(queueing(unchanged, ticketEntry, ticketExit), ticketJoin), 2, tier.Pick(3, 4), 7},
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
