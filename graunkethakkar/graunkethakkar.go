// Package graunkethakkar implements the queue lock of Graunke and Thakkar, with
// aborts: a process joins a queue by one atomic swap, and awaits the process before
// it.
//
// Sources: G. Graunke, S. Thakkar, "Synchronization algorithms for shared-memory
// multiprocessors", IEEE Computer 23(6):60-69, 1990, as J. M. Mellor-Crummey and M. L.
// Scott have it, "Algorithms for scalable synchronization on shared-memory
// multiprocessors", ACM Transactions on Computer Systems 9(1):21-65, 1991; aborts
// follow M. L. Scott, "Non-blocking timeout in scalable queue-based spin locks", PODC
// 2002.
//
// # Shared variables
//
// A place in the queue is a pair (i, b) of a process and a bit.
//
//	slot[i]  written by process i: the bit b of its place while it waits or is
//	         inside, and the other bit from its exit on; 0 at first. While it is
//	         leaving the queue: the word ((k, c), b), the place before its own and b;
//	         then the process behind it sets slot[i] to b, or, if that has left
//	         too, marks the word.
//	follows[i]
//	         written by process i: the place before its own, once that is not the one
//	         of line 2, or the process aborts; otherwise 0
//	tail     written by all: the last place in the queue; at first (1, 1), which
//	         is over
//
// In places processes are named from 1.
//
// # Algorithm
//
// Process i:
//
//	1  b := slot[i]
//	2  (k, c) := swap(tail, (i, b))
//	3  await slot[k] ≠ c
//	4  while slot[k] = (place, c), marked or not, do
//	5    slot[k] := c; (k, c) := place
//	6    await slot[k] ≠ c
//	7  critical section
//	8  slot[i] := not b
//
// Lines 1 to 3 and 8 are the lock of Graunke and Thakkar. One bit is enough: process k
// cannot set slot[k] to c again while a process waits for (k, c), because its next place is
// behind that process. If that process aborts, the one behind it takes over (k, c), and is
// before k too. The papers give up the place of an aborted process; here it is used again.
//
// # Properties
//
// Mutual exclusion, deadlock-free, starvation-free, and FIFO: the doorway is lines 1
// and 2, a read and the swap. Uncontended, an entry and exit make six accesses whatever n
// is: two writes and five reads, as the swap is one of each; 2n+1 registers. Unlike most
// algorithms of this module, it uses read-modify-writes: a swap to enter, and a
// compare-and-swap to abort. An exit wakes at most one process.
//
// # Aborting
//
// At lines 3 and 6 a process leaves the queue:
//
//	a  if tail = (i, b) then tail := (k, c), in one step, and goto f
//	b  slot[i] := ((k, c), b)
//	c  if tail = (i, b) then tail := (k, c), in one step, and goto f
//	d  await slot[i] ≠ ((k, c), b)
//	e  if slot[i] is marked then slot[i] := ((k, c), b), in one step, and goto c;
//	   return
//	f  slot[i] := b
//	g  if slot[k] = (place, c) then mark it, in one step
//
// The last process in the queue leaves at line a, without a trace. Any other leaves word where
// to wait. It is gone when the process behind it has read that, at lines 4 and 5, which takes as
// long as to wake that process. Meanwhile, that one may leave too. Then it tells process k, at
// line g, that k may be the last. A mark that comes late does no harm, as line c decides.
//
// Each process awaits only its own slot, so n aborts take O(n) steps and wake-ups. If they
// awaited the tail, each change of it would wake all that are leaving. What follows line b is
// absorbed ([register.Process.Absorb]): a goroutine continues on behalf of the process, and the
// next entry of the process waits for it.
//
// TryLock fails without joining the queue if the last place in it is taken by a process
// that waits or is inside.
package graunkethakkar

import (
	"context"

	"example.org/doorway/register"
)

// A Lock provides mutual exclusion for n processes, 0 to n-1. It must not be
// copied after first use. [example.org/doorway/mutex.Abortable] specifies its
// methods.
type Lock struct {
	procs   register.Processes
	_       [64]byte
	tail    register.Word
	_       [64]byte
	slot    []padded
	follows []register.Word
}

// A padded register has a cache line of its own: one process writes it, and another
// awaits it.
type padded struct {
	register.Word
	_ [48]byte
}

// New returns a free lock for n processes. It panics unless 1 <= n <= 1<<20.
func New(n int) *Lock {
	l := &Lock{
		procs:   register.MakeProcesses("graunkethakkar", n),
		slot:    make([]padded, n),
		follows: make([]register.Word, n),
	}
	l.tail.Set(1<<1 | 1)
	return l
}

// Processes returns n.
func (l *Lock) Processes() int { return l.procs.Len() }

// FIFO reports that processes enter first come, first served.
func (l *Lock) FIFO() bool { return true }

// Lock runs the entry protocol of process i, 0 <= i < n.
func (l *Lock) Lock(i int) {
	p := l.procs.Entry(i)
	l.entry(p)
	p.Inside()
}

// TryLock runs the entry protocol of process i without waiting, and reports whether it succeeded.
func (l *Lock) TryLock(i int) bool { return l.procs.Try(i, l.try) }

// LockContext runs the entry protocol of process i, and returns ctx.Err() if ctx is done first.
func (l *Lock) LockContext(ctx context.Context, i int) error {
	return l.procs.Context(ctx, i, l.attempt)
}

// Unlock runs the exit protocol of process i.
func (l *Lock) Unlock(i int) { l.exit(l.procs.Exit(i)) }

// entry is lines 1 to 6. If p aborts there, follows[p] is the place before its own.
func (l *Lock) entry(p *register.Process) bool {
	mine, follows := l.place(p), l.followsOf(p) // 1
	first := l.tail.Swap(mine)                  // 2
	p.Doorway()
	return register.Repeat(func() register.Outcome {
		last := follows.Load()
		if last == 0 {
			last = first
		}
		switch before := l.at(last); {
		case before > taken: // 4
			l.remove(last) // 5
			follows.Set(before)
			return register.Again
		case before == taken:
			if l.slotOf(last).Await(p, func(v uint64) bool { return v != last&1 }) { // 3, 6
				return register.Again
			}
			follows.Set(last)
			return register.GaveUp
		case last != first:
			follows.Set(0)
		}
		return register.Entered
	})
}

// attempt is an entry that may abort.
func (l *Lock) attempt(p *register.Process) bool {
	if l.entry(p) {
		return true
	}
	if mine, last := l.aborted(p); !l.leave(mine, last) {
		p.Absorb(func() { l.awaitRemoval(p, mine, last) })
	}
	return false
}

func (l *Lock) exit(p *register.Process) {
	l.slotOf(p.Name() << 1).Store(l.bit(p) ^ 1) // 8
}

func (l *Lock) try(p *register.Process) bool {
	return register.Pure(func() uint64 { return l.at(l.tail.Load()) }) != taken && l.attempt(p)
}

// place is line 1.
func (l *Lock) place(p *register.Process) uint64 { return p.Name()<<1 | l.bit(p) }

func (l *Lock) bit(p *register.Process) uint64 {
	return register.Pure(func() uint64 { return l.slotOf(p.Name()<<1).Load() & 1 })
}

// slotOf returns slot[i] of a place (i, b).
func (l *Lock) slotOf(place uint64) *register.Word { return &l.slot[place>>1-1].Word }

func (l *Lock) followsOf(p *register.Process) *register.Word { return &l.follows[p.ID()] }

// The results of at that are no places.
const over, taken = 0, 1

// at returns over if the process of a place has left its critical section, taken if
// it waits or is inside, and the place before if it is leaving the queue.
func (l *Lock) at(place uint64) uint64 {
	return register.Pure(func() uint64 {
		switch v := l.slotOf(place).Load(); {
		case v == place&1:
			return taken
		case v&1 == place&1:
			return v >> 2
		default:
			return over
		}
	})
}

// word is what the process of a place leaves in its slot; it may be marked.
func word(place, before uint64) uint64 { return before<<2 | place&1 }

const marked = 2

// remove is line 5: the process of a place has left the queue.
func (l *Lock) remove(place uint64) {
	l.slotOf(place).Store(place & 1)
}

// aborted returns the place of p, which has aborted, and the place before it.
func (l *Lock) aborted(p *register.Process) (mine, last uint64) {
	mine, last = l.place(p), l.followsOf(p).Load()
	l.followsOf(p).Set(0)
	return mine, last
}

// leave is lines a, b, f and g, and reports whether the process of the place mine has left the
// queue. If not, one behind it will remove it, and may already have done so.
func (l *Lock) leave(mine, last uint64) bool {
	if l.withdraw(mine, last) {
		return true
	}
	l.slotOf(mine).Store(word(mine, last)) // b
	return false
}

// withdraw is line a or c, with f and g.
func (l *Lock) withdraw(mine, last uint64) bool {
	if !l.tail.CompareAndSwap(mine, last) { // a, c
		return false
	}
	l.slotOf(mine).Set(mine & 1)              // f
	if before := l.at(last); before > taken { // g
		w := word(last, before)
		l.slotOf(last).CompareAndSwap(w, w|marked)
	}
	return true
}

// awaitRemoval is what follows line b.
func (l *Lock) awaitRemoval(p *register.Process, mine, last uint64) {
	slot, w := l.slotOf(mine), word(mine, last)
	register.Repeat(func() register.Outcome {
		if l.withdraw(mine, last) { // c
			return register.Entered
		}
		slot.Await(p, func(v uint64) bool { return v != w }) // d
		if slot.CompareAndSwap(w|marked, w) {                // e
			return register.Again
		}
		return register.Entered
	})
}
