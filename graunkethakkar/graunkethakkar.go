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
//	         leaving the queue: the pair of the place before its own, and b; then
//	         the process behind it sets slot[i] to b.
//	follows[i]
//	         written by process i: the place before its own, once that is not the one
//	         of line 2; otherwise 0
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
//	4  while slot[k] = (place, c) do
//	5    slot[k] := c; (k, c) := place
//	6    await slot[k] ≠ c
//	7  critical section
//	8  slot[i] := not b
//
// Lines 1 to 3 and 8 are the lock of Graunke and Thakkar. One bit is enough: process k
// cannot set slot[k] to c again while a process waits for (k, c). Its next place is behind
// that process; and if that one aborts, whichever is behind it takes over (k, c), and is
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
//	a  if tail = (i, b) then tail := (k, c), in one step; return
//	b  slot[i] := ((k, c), b)
//	c  await slot[i] = b or tail = (i, b)
//	d  if tail = (i, b) then tail := (k, c), in one step; slot[i] := b
//	e  if slot[i] ≠ b then goto c
//
// The last in the queue leaves at line a, and without a trace. Any other leaves word where to
// wait, and is gone when the process behind it has read that, at lines 4 and 5, which
// takes as long as to wake it. Meanwhile, that process may leave too, so line c also
// awaits that no process is behind. Lines c to e are absorbed
// ([register.Process.Absorb]): a goroutine continues on behalf of the process, whose
// next entry waits for it.
//
// TryLock fails without joining the queue if the last place in it is taken by a process
// that waits or is inside.
//
// # Goroutines
//
// A [Locker] is the same algorithm for any number of goroutines: it makes processes on
// demand, and each call takes one that is free.
package graunkethakkar

import (
	"context"

	"example.org/doorway/internal/renaming"
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
	cells   *renaming.Table[cell] // of a Locker: the registers of its processes, instead of slot and follows
}

// A padded register has a cache line of its own: one process writes it, and another
// awaits it.
type padded struct {
	register.Word
	_ [48]byte
}

// A cell has what is a process's own. With the link of its table, it takes a cache line.
type cell struct {
	procs   register.Processes // one
	slot    register.Word
	follows register.Word
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
	return l.procs.Context(ctx, i, l.entry)
}

// Unlock runs the exit protocol of process i.
func (l *Lock) Unlock(i int) {
	l.exit(l.procs.Exit(i))
}

func (l *Lock) entry(p *register.Process) bool {
	mine, follows := p.Name()<<1|l.bit(p), l.followsOf(p) // 1
	first := l.tail.Swap(mine)                            // 2
	p.Doorway()
	return register.Repeat(func() register.Outcome {
		last := follows.Load()
		if last == 0 {
			last = first
		}
		before := l.at(last)
		if before > taken { // 4
			l.slotOf(last).Store(last & 1) // 5
			follows.Set(before)
			return register.Again
		}
		if before == taken && l.slotOf(last).Await(p, func(v uint64) bool { return v != last&1 }) { // 3, 6
			return register.Again
		}
		if last != first {
			follows.Set(0)
		}
		if before == over {
			return register.Entered
		}
		l.withdraw(p, mine, last)
		return register.GaveUp
	})
}

func (l *Lock) exit(p *register.Process) {
	l.slotOf(p.Name() << 1).Store(l.bit(p) ^ 1) // 8
}

func (l *Lock) try(p *register.Process) bool {
	return register.Pure(func() uint64 { return l.at(l.tail.Load()) }) != taken && l.entry(p)
}

// bit is line 1.
func (l *Lock) bit(p *register.Process) uint64 {
	return register.Pure(func() uint64 { return l.slotOf(p.Name()<<1).Load() & 1 })
}

// slotOf returns slot[i] of a place (i, b).
func (l *Lock) slotOf(place uint64) *register.Word {
	i := place>>1 - 1
	if l.cells != nil {
		return &l.cells.At(int(i)).slot
	}
	return &l.slot[i].Word
}

func (l *Lock) followsOf(p *register.Process) *register.Word {
	if l.cells != nil {
		return &l.cells.At(p.ID()).follows
	}
	return &l.follows[p.ID()]
}

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
			return v >> 1
		default:
			return over
		}
	})
}

// withdraw leaves the place mine, which is behind last.
func (l *Lock) withdraw(p *register.Process, mine, last uint64) {
	if !l.tail.CompareAndSwap(mine, last) { // a
		l.slotOf(mine).Store(last<<1 | mine&1) // b
		p.Absorb(func() { l.leave(p, mine, last) })
	}
}

func (l *Lock) leave(p *register.Process, mine, last uint64) {
	slot := l.slotOf(mine)
	gone := func(v uint64) bool { return v == mine&1 }
	register.Repeat(func() register.Outcome {
		register.AwaitEither(p, slot, gone, &l.tail, func(tail uint64) bool { return tail == mine }) // c
		if l.tail.CompareAndSwap(mine, last) {                                                       // d
			slot.Set(mine & 1)
		}
		if !gone(slot.Load()) { // e
			return register.Again
		}
		return register.Entered
	})
}
