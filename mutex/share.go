package mutex

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
)

// A Shared is a [sync.Locker] for any number of goroutines over a Mutex of n
// processes: Lock takes a process that is free, and Unlock gives it back. It
// can be the Locker of a [sync.Cond]. It must not be copied after first use.
//
// Up to n goroutines take part in the algorithm at a time and have its
// properties, from the doorway on. When every process is taken, further
// goroutines queue for one, and get it first come first served, whatever the
// algorithm; between being handed a process and the doorway they may overtake
// each other. If the process that a goroutine gets is still finishing an entry
// that was given up, it waits for that first.
//
// The happens-before edges are those of [sync.Mutex]: a call of Unlock is
// synchronized before the return of every later call of Lock, and of every
// later TryLock and LockContext that succeeds. As with sync.Mutex, a goroutine
// may unlock what another has locked.
type Shared struct {
	m      Mutex
	holder int // the process that is inside plus 1, or 0; guarded by m itself

	_     [40]byte // what follows is written by those who only come and go
	last  atomic.Uint32
	taken []atomic.Uint32 // by process: 1 while it is taken

	queued atomic.Int32 // how many are in queue; changed under mu
	mu     sync.Mutex   // held for a few instructions
	queue  list
	spare  *waiter
}

// Share returns a free Shared over m. All that use m must do so through it, and
// if they are in a synctest bubble it must have been made there, as m must.
func Share(m Mutex) *Shared {
	return &Shared{m: m, taken: make([]atomic.Uint32, m.Processes())}
}

// Lock blocks until the calling goroutine is in the critical section.
func (s *Shared) Lock() {
	i, ok := s.take()
	if !ok {
		i, _ = s.wait(nil)
	}
	s.m.Lock(i)
	s.holder = i + 1
}

// Unlock leaves the critical section. It panics if nobody is inside.
func (s *Shared) Unlock() {
	i := s.holder - 1
	if i < 0 {
		panic("mutex: unlock of a Shared that is not locked")
	}
	s.holder = 0
	s.m.Unlock(i)
	s.give(i)
}

// TryLock enters the critical section if that needs no waiting, and says
// whether it did. It may fail though nobody is inside, as [Abortable] says. It
// panics if the Mutex is not Abortable, for then it cannot be tried.
func (s *Shared) TryLock() bool {
	a, ok := s.m.(Abortable)
	if !ok {
		panic(fmt.Sprintf("mutex: TryLock over a %T, which is not Abortable", s.m))
	}
	i, ok := s.take()
	if !ok {
		return false
	}
	if !a.TryLock(i) {
		s.give(i)
		return false
	}
	s.holder = i + 1
	return true
}

// LockContext is Lock that gives up when ctx is done, and then returns
// ctx.Err(); nil means that the calling goroutine is in the critical section.
//
// If the Mutex is not Abortable, a goroutine waits in the place of the caller
// that gave up, and leaves as soon as it is inside; and every call that ctx may
// end costs a goroutine.
func (s *Shared) LockContext(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	i, ok := s.take()
	if !ok {
		if i, ok = s.wait(ctx.Done()); !ok {
			return ctx.Err()
		}
	}
	if err := s.lockContext(ctx, i); err != nil {
		return err
	}
	s.holder = i + 1
	return nil
}

func (s *Shared) lockContext(ctx context.Context, i int) error {
	if a, ok := s.m.(Abortable); ok {
		err := a.LockContext(ctx, i)
		if err != nil {
			s.give(i)
		}
		return err
	}
	if ctx.Done() == nil {
		s.m.Lock(i)
		return nil
	}
	inside, gone := make(chan struct{}), make(chan struct{})
	go func() {
		s.m.Lock(i)
		select {
		case inside <- struct{}{}:
		case <-gone:
			s.m.Unlock(i)
			s.give(i)
		}
	}()
	select {
	case <-inside:
		return nil
	case <-ctx.Done():
		close(gone)
		return ctx.Err()
	}
}

// take takes a free process, the one that was given back last if it can: its
// registers are in cache. It fails if there is none, or others are in queue.
func (s *Shared) take() (i int, ok bool) {
	if s.queued.Load() != 0 {
		return 0, false
	}
	if i := int(s.last.Load()); s.taken[i].CompareAndSwap(0, 1) {
		return i, true
	}
	return s.search()
}

// search takes the free process with the smallest number.
func (s *Shared) search() (i int, ok bool) {
	for i := range s.taken {
		if t := &s.taken[i]; t.Load() == 0 && t.CompareAndSwap(0, 1) {
			return i, true
		}
	}
	return 0, false
}

// give gives process i back, to the first in queue if there is one. It frees
// the process before it looks, as wait joins the queue before it looks: so one
// of the two sees the other.
func (s *Shared) give(i int) {
	if int(s.last.Load()) != i {
		s.last.Store(uint32(i))
	}
	s.taken[i].Store(0)
	if s.queued.Load() != 0 {
		s.mu.Lock()
		s.serve()
		s.mu.Unlock()
	}
}

// wait queues for a process, and fails if done is closed before there is one.
func (s *Shared) wait(done <-chan struct{}) (i int, ok bool) {
	s.mu.Lock()
	w := s.spare
	if w == nil {
		w = &waiter{process: make(chan int, 1)}
	} else {
		s.spare = w.next
	}
	s.queue.push(w)
	s.queued.Add(1)
	s.serve()
	s.mu.Unlock()

	select {
	case i = <-w.process:
		ok = true
	case <-done:
	}

	s.mu.Lock()
	if !ok && !s.queue.remove(w) { // served after all
		i, ok = <-w.process, true
	} else if !ok {
		s.queued.Add(-1)
	}
	w.next, s.spare = s.spare, w
	s.mu.Unlock()
	return i, ok
}

// serve hands free processes to those in queue, under mu.
func (s *Shared) serve() {
	for s.queue.first != nil {
		i, ok := s.search()
		if !ok {
			return
		}
		s.queue.pop().process <- i
		s.queued.Add(-1)
	}
}

// A waiter is a goroutine in queue. There are as many as were ever in queue at
// once, and none is used by two Shareds, which may live in different synctest
// bubbles.
type waiter struct {
	process chan int
	next    *waiter
}

// A list of waiters, the longest wait first.
type list struct{ first, last *waiter }

func (l *list) push(w *waiter) {
	w.next = nil
	if l.first == nil {
		l.first = w
	} else {
		l.last.next = w
	}
	l.last = w
}

func (l *list) pop() *waiter {
	w := l.first
	l.first = w.next
	return w
}

func (l *list) remove(w *waiter) bool {
	var before *waiter
	for v := l.first; v != nil; before, v = v, v.next {
		if v != w {
			continue
		}
		if before == nil {
			l.first = w.next
		} else {
			before.next = w.next
		}
		if l.last == w {
			l.last = before
		}
		return true
	}
	return false
}
