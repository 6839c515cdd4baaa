package graunkethakkar

import (
	"context"
	"sync/atomic"

	"example.org/doorway/internal/renaming"
	"example.org/doorway/register"
)

// A Locker is the lock for any number of goroutines: a [sync.Locker], with TryLock and
// LockContext, in which each call is that of a process of its own. Goroutines enter first
// come, first served, from the swap of line 2 on. A Locker can be the Locker of a
// [sync.Cond].
//
// The zero value is an unlocked Locker. It must not be copied after first use. All calls
// must be in one synctest bubble, or none. It keeps as many processes as were ever used
// at once, and allocates nothing but when their number doubles. At 1<<20 processes, further
// goroutines yield until one is free, in any order. An aborted acquisition needs no
// goroutine; its process is free again when another has read its word, which may be as late
// as the next call.
//
// The happens-before edges are those of [sync.Mutex]: a call of Unlock is synchronized
// before the return of every later call of Lock, and of every later TryLock and
// LockContext that succeeds. As with sync.Mutex, one goroutine may lock a Locker and
// another unlock it.
type Locker struct{ queue atomic.Pointer[queue] }

// A queue is a Lock whose processes are made on demand.
type queue struct {
	Lock
	_      [64]byte
	holder int // the number of the process that is inside plus 1, or 0; guarded by Lock
	_      [64]byte
}

// atFirst is how many processes a Locker has at first.
const atFirst = 8

func newQueue() *queue {
	q := &queue{}
	var procs []*register.Processes
	q.cells = renaming.New(atFirst, func(c *cell) {
		c.procs = register.MakeProcesses("graunkethakkar", 1, procs...)
		if procs == nil {
			procs = []*register.Processes{&c.procs}
		}
	})
	q.tail.Set(1<<1 | 1)
	return q
}

// made returns the queue of l, which the first call makes.
func (l *Locker) made() *queue {
	if q := l.queue.Load(); q != nil {
		return q
	}
	l.queue.CompareAndSwap(nil, newQueue())
	return l.queue.Load()
}

// Lock blocks until the calling goroutine is in the critical section.
func (l *Locker) Lock() {
	q := l.made()
	i := q.cells.Take()
	p := q.cells.At(i).procs.Entry(0)
	q.entry(p)
	p.Inside()
	q.holder = i + 1
}

// Unlock leaves the critical section. It panics if l is not locked.
func (l *Locker) Unlock() {
	q := l.queue.Load()
	if q == nil || q.holder == 0 {
		panic("graunkethakkar: unlock of a Locker that is not locked")
	}
	i := q.holder - 1
	q.holder = 0
	q.exit(q.cells.At(i).procs.Exit(0))
	q.cells.Give(i)
}

// TryLock tries to enter the critical section without waiting, and reports whether it
// succeeded. It may fail although l is not locked, if others are in their entry or exit
// protocols.
func (l *Locker) TryLock() bool {
	q := l.made()
	if q.at(q.tail.Load()) == taken {
		return false
	}
	i := q.cells.Take()
	if !q.cells.At(i).procs.Try(0, q.entry) {
		q.giveUp(i)
		return false
	}
	q.holder = i + 1
	return true
}

// LockContext is Lock that aborts when ctx is done, and then returns ctx.Err(); nil
// means that the calling goroutine is in the critical section. If ctx is done before
// the call, it returns ctx.Err() at once. It panics if ctx is nil.
func (l *Locker) LockContext(ctx context.Context) error {
	if ctx == nil {
		panic("graunkethakkar: LockContext of a Locker with a nil Context")
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	q := l.made()
	i := q.cells.Take()
	if err := q.cells.At(i).procs.Context(ctx, 0, q.entry); err != nil {
		q.giveUp(i)
		return err
	}
	q.holder = i + 1
	return nil
}

// giveUp has process i leave the queue, if it has joined it, and gives i back. If it
// cannot leave at once, the process that removes it gives i back.
func (q *queue) giveUp(i int) {
	c := q.cells.At(i)
	if c.follows.Load() == 0 || q.leave(q.aborted(c.procs.Entry(0))) {
		q.cells.Give(i)
	}
}
