//go:build doorway_explore

package explore_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/memory/registers"
	"example.org/doorway/internal/tier"
	"example.org/doorway/mutex"
	"example.org/doorway/register"
)

// Locks from atomic read-modify-writes, as their papers have them, with the names of the
// papers; flags are in reg. A process i is i+1 in a register, so that 0 is nil.

// beginning returns the constructor of a lock that begin initializes.
func beginning(begin func(l *lock), entry, exit protocol) func(n int) mutex.Mutex {
	return func(n int) mutex.Mutex {
		l := newLock(n, entry, exit)
		begin(l)
		return l
	}
}

func one(v uint64) bool { return v == 1 }

func some(v uint64) bool { return v != 0 }

// A join is the entry of a queue lock up to its wait for its turn, which it returns.
type join func(l *lock, p *register.Process) (wait func() bool)

func joining(j join) protocol { return func(l *lock, p *register.Process) { j(l, p)() } }

// absorbing returns the constructor of a queue lock whose aborted acquisitions keep their places, and leave there.
func absorbing(newLock func(n int) mutex.Mutex, join join) func(n int) mutex.Mutex {
	enter := func(l *lock, p *register.Process) bool {
		wait := join(l, p)
		if wait() {
			return true
		}
		p.Absorb(func() {
			wait()
			l.exit(l, p)
		})
		return false
	}
	return func(n int) mutex.Mutex { return &abortable{newLock(n).(*lock), enter, enter, enter} }
}

// J. M. Mellor-Crummey, M. L. Scott, "Algorithms for scalable synchronization on
// shared-memory multiprocessors", ACM TOCS 9(1), 1991: Algorithm 5, where reg[i] is
// locked.
func mcsJoin(l *lock, p *register.Process) func() bool {
	i := p.ID()
	l.next[i].Set(0)
	predecessor := l.tail.Swap(p.Name())
	p.Doorway()
	if predecessor == 0 {
		return func() bool { return true }
	}
	l.reg[i].Set(1)
	l.next[predecessor-1].Store(p.Name())
	return func() bool { return l.reg[i].Await(p, zero) }
}

func mcsExit(l *lock, p *register.Process) {
	next := l.next[p.ID()].Load()
	if next == 0 {
		if l.tail.CompareAndSwap(p.Name(), 0) {
			return
		}
		next, _ = l.next[p.ID()].AwaitValue(p, some)
	}
	l.reg[next-1].Store(0)
}

// T. S. Craig, "Building FIFO and priority-queueing spin locks from atomic swap", 1993,
// and P. Magnusson, A. Landin, E. Hagersten, "Queue locks on cache coherent
// multiprocessors", 1994. A process takes over the node of its predecessor.
func clhBegin(l *lock) {
	n := l.procs.Len()
	for i := range n {
		l.mine[i].Set(uint64(i))
	}
	l.tail.Set(uint64(n))
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

func clhExit(l *lock, p *register.Process) {
	i := p.ID()
	node := l.mine[i].Load()
	l.mine[i].Set(l.pred[i].Load())
	l.reg[node].Store(0)
}

// T. E. Anderson, "The performance of spin lock alternatives for shared-memory
// multiprocessors", IEEE TPDS 1(1), 1990, with the reduction of the counter that
// Mellor-Crummey and Scott have in Algorithm 4. A flag of 1 is has_lock. The counter
// begins with n, so that it is never negative.
func andersonBegin(l *lock) {
	l.tail.Set(uint64(l.procs.Len()))
	l.reg[0].Set(1)
}

func andersonEntry(l *lock, p *register.Process) {
	n := uint64(l.procs.Len())
	place := l.tail.FetchAdd(1)
	p.Doorway()
	if place%n == 0 {
		l.tail.FetchAdd(-n)
	}
	place %= n
	l.mine[p.ID()].Set(place)
	l.reg[place].Await(p, one)
	l.reg[place].Set(0)
}

func andersonExit(l *lock, p *register.Process) {
	n := uint64(l.procs.Len())
	l.reg[(l.mine[p.ID()].Load()+1)%n].Store(1)
}

// The ticket lock: Algorithm 2 of Mellor-Crummey and Scott.
func ticketJoin(l *lock, p *register.Process) func() bool {
	mine := l.tail.FetchAdd(1)
	p.Doorway()
	return func() bool { return l.head.Await(p, func(v uint64) bool { return v == mine }) }
}

func ticketExit(l *lock, _ *register.Process) { l.head.Store(l.head.Load() + 1) }

// Once process 1 has entered, the lock stays taken. The sums have the same values,
// whichever is added.
func spoilingEntry(l *lock, p *register.Process) {
	register.Repeat(func() register.Outcome {
		if l.head.CompareAndSwap(0, 1<<63) {
			return register.Entered
		}
		return register.Again
	})
	if p.ID() == 1 {
		l.reg[0].Set(1)
	}
}

func spoiledExit(l *lock, _ *register.Process) {
	if l.reg[0].Load() == 0 {
		l.head.FetchAdd(1 << 63)
	} else {
		l.head.FetchAdd(0)
	}
}

// A register that is swapped is no safe register: of a swap there is no half.
func TestSwappedIsNotSafe(t *testing.T) {
	for want, begin := range map[string]func(w *register.Word){
		explore.Fails: func(w *register.Word) { w.Store(1) },
		explore.Holds: func(w *register.Word) { w.Swap(1) },
	} {
		// B. K. Szymanski, "A simple solution to Lamport's concurrent programming problem
		// with linear wait", 1988, for two processes.
		entry := func(l *lock, p *register.Process) {
			i := p.ID()
			mine, other := &l.reg[i], &l.reg[1-i]
			begin(mine)
			other.Await(p, func(v uint64) bool { return v <= 2 })
			mine.Store(3)
			if other.Load() == 1 {
				mine.Store(2)
				other.Await(p, func(v uint64) bool { return v == 4 })
			}
			mine.Store(4)
			if i == 1 {
				other.Await(p, func(v uint64) bool { return v <= 1 })
			}
		}
		exit := func(l *lock, p *register.Process) {
			if p.ID() == 0 {
				l.reg[1].Await(p, func(v uint64) bool { return v <= 1 || v == 4 })
			}
			l.reg[p.ID()].Store(0)
		}
		r := check(t, explore.Config{New: making(entry, exit), Processes: 2})
		assert.Equal(t, explore.Holds, r.MutualExclusion.Status)
		assert.Equal(t, want, r.SafeRegisters.Status)
	}
}

// The verdicts are those of the literature. With aborts that are absorbed, the queue locks are what
// they are without.
func TestQueueLocks(t *testing.T) {
	const (
		fifo     = "exclusion holds, deadlock holds, starvation holds, steadfast unknown, fifo holds, races holds, safe holds, bypasses 1"
		spoiled  = "exclusion holds, deadlock fails, starvation fails, steadfast unknown, fifo fails, races holds, safe holds, bypasses -1"
		absorbed = "exclusion holds, deadlock holds, starvation holds, steadfast holds, fifo holds, races unknown, safe unknown, bypasses 1"
	)
	mcs, clh, ticket := joining(mcsJoin), joining(clhJoin), joining(ticketJoin)
	newMCS, newTicket := making(mcs, mcsExit), making(ticket, ticketExit)
	newCLH := beginning(clhBegin, clh, clhExit)
	for _, c := range []struct {
		name     string
		lock     func(n int) mutex.Mutex
		from, to int // processes
		cap      uint64
		want     string
		accesses string // of an uncontended entry and exit, if their number does not depend on n
	}{
		{"MCS", newMCS, 2, tier.Pick(3, 4), 0, fifo, "3 reads, 3 writes"},
		{"CLH", newCLH, 2, 3, 0, fifo, "5 reads, 5 writes"},
		{"Anderson", beginning(andersonBegin, andersonEntry, andersonExit), 2, 3, 6, fifo, "4 reads, 5 writes"},
		{"ticket", newTicket, 2, 3, 7, fifo, "3 reads, 2 writes"},
		{"compare-and-swap that one spoils", making(spoilingEntry, spoiledExit), 2, 3, 0, spoiled, ""},
		{"MCS, aborted", absorbing(newMCS, mcsJoin), 2, tier.Pick(3, 4), 0, absorbed, ""},
		{"CLH, aborted", absorbing(newCLH, clhJoin), 2, tier.Pick(3, 4), 0, absorbed, ""},
		{"ticket, aborted", absorbing(newTicket, ticketJoin), 2, tier.Pick(3, 4), 7, absorbed, ""},
	} {
		for n := c.from; n <= c.to; n++ {
			t.Run(fmt.Sprintf("%s/%d", c.name, n), func(t *testing.T) {
				config := explore.Config{New: c.lock, Processes: n, Cap: c.cap, GiveUp: c.want == absorbed}
				if config.GiveUp {
					config.Only = explore.Properties{MutualExclusion: true, DeadlockFree: true, StarvationFree: true, FIFO: true}
				}
				r := check(t, config)
				assert.Equal(t, c.want, verdicts(r))
				if c.accesses != "" {
					assert.Equal(t, c.accesses, fmt.Sprintf("%d reads, %d writes", r.Reads, r.Writes))
					alone, err := registers.Uncontended(c.lock, n)
					require.NoError(t, err)
					assert.Equal(t, c.accesses, fmt.Sprintf("%d reads, %d writes", alone.Reads, alone.Writes))
				}
				for _, f := range failures(r) {
					walk(t, config, f.Schedule)
				}
			})
		}
	}
}
