package mutex

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
)

// A Shared is a [sync.Locker] for any number of goroutines over a Mutex of n
// processes: Lock takes a free process, and Unlock returns it. It can be the Locker
// of a [sync.Cond]. It must not be copied after first use.
//
// Up to n goroutines contend at a time, and have the properties of the algorithm
// from its doorway on. When every process is taken, further goroutines queue for
// one in FIFO order, whatever the algorithm. Between receiving a process and the
// doorway, goroutines may bypass each other. A goroutine that receives a process
// whose aborted acquisition is still being absorbed first waits for its end.
//
// The happens-before edges are those of [sync.Mutex]: a call of Unlock is
// synchronized before the return of every later call of Lock, and of every later
// TryLock and LockContext that succeeds. As with sync.Mutex, one goroutine may lock
// a Shared and another unlock it.
type Shared struct {
	m      Mutex
	holder int // the process that is inside plus 1, or 0; guarded by m itself

	_     [40]byte // the fields below are also written by goroutines that do not enter
	last  atomic.Uint32
	taken []atomic.Uint32 // by process: 1 while it is taken

	queued atomic.Int32 // length of the queue; changed under mu
	mu     sync.Mutex   // held for a few instructions
	queue  list
	spare  *waiter
}

// maxProcesses is the largest number of processes of a lock of this library.
const maxProcesses = 1 << 20

// Share returns an unlocked Shared over m. From then on m must be used only through
// it. To be used in a synctest bubble, it and m must be created there. Share panics
// if m is nil, and unless m has 1 to 1<<20 processes; a lock that was not made by
// its constructor has none.
func Share(m Mutex) *Shared {
	if m == nil {
		panic("mutex: share of a nil Mutex")
	}
	n := m.Processes()
	if n < 1 || n > maxProcesses {
		panic(fmt.Sprintf("mutex: share of a %T of %d processes: there must be 1 to %d", m, n, maxProcesses))
	}
	return &Shared{m: m, taken: make([]atomic.Uint32, n)}
}

// Lock blocks until the calling goroutine is in the critical section. If Lock of
// the Mutex panics, as that of a closed cluster does, so does this one. The process
// is then free again, so no caller waits behind one that failed.
func (s *Shared) Lock() {
	i, ok := s.take()
	if !ok {
		i, _ = s.wait("lock", nil)
	}
	entered := false
	defer s.unlessEntered(i, &entered)
	s.m.Lock(i)
	entered = true
	s.holder = i + 1
}

// Unlock leaves the critical section. It panics if s is not locked.
func (s *Shared) Unlock() {
	i := s.holder - 1
	if i < 0 {
		s.notLocked()
	}
	s.holder = 0
	defer s.give(i) // even if it panics: then m panics for the next caller too
	s.m.Unlock(i)
}

// TryLock tries to enter the critical section without waiting, and reports whether
// it succeeded. It may fail although s is not locked; see [Abortable]. It panics if
// the Mutex is not Abortable.
func (s *Shared) TryLock() bool {
	s.made("lock")
	a := abortable(s.m)
	i, ok := s.take()
	if !ok {
		return false
	}
	entered := false
	defer s.unlessEntered(i, &entered)
	if entered = a.TryLock(i); entered {
		s.holder = i + 1
	}
	return entered
}

// LockContext is Lock that aborts when ctx is done, and then returns ctx.Err();
// nil means that the calling goroutine is in the critical section. It panics if
// ctx is nil.
//
// If the Mutex is not Abortable, every call with a ctx that can be done starts a
// goroutine that calls Lock. After an abort this goroutine continues, and unlocks
// as soon as it has entered. If Lock of the Mutex panics, so does LockContext,
// unless it has aborted.
func (s *Shared) LockContext(ctx context.Context) error {
	if ctx == nil {
		panic("mutex: LockContext of a Shared with a nil Context")
	}
	s.made("lock")
	if err := ctx.Err(); err != nil {
		return err
	}
	i, ok := s.take()
	if !ok {
		if i, ok = s.wait("lock", ctx.Done()); !ok {
			return ctx.Err()
		}
	}
	keep := false // for the caller, or for the goroutine that stands in for it
	defer s.unlessEntered(i, &keep)
	var err error
	if a, ok := s.m.(Abortable); ok {
		err = a.LockContext(ctx, i)
		keep = err == nil
	} else {
		err = lockContext(ctx, s.m, i, func() { s.give(i) })
		keep = true
	}
	if err != nil {
		return err
	}
	s.holder = i + 1
	return nil
}

// unlessEntered gives process i back if its entry has failed, whether by an error,
// a panic or runtime.Goexit.
func (s *Shared) unlessEntered(i int, entered *bool) {
	if !*entered {
		s.give(i)
	}
}

// made panics if s was not made by Share.
func (s *Shared) made(call string) {
	if s.m == nil {
		panic("mutex: " + call + " of a Shared that was not made by Share")
	}
}

func (s *Shared) notLocked() {
	s.made("unlock")
	panic("mutex: unlock of a Shared that is not locked")
}

// take takes a free process, preferably the one that was given back last: its
// registers are in cache. It fails if none is free, or if the queue is not empty.
func (s *Shared) take() (i int, ok bool) {
	if s.queued.Load() != 0 {
		return 0, false
	}
	if i := int(s.last.Load()); i < len(s.taken) && s.taken[i].CompareAndSwap(0, 1) {
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

// give gives process i back, to the first in the queue if there is one. It frees
// the process before it looks at the queue, and wait joins the queue before it
// looks for a free process, so one of the two sees the other.
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

// wait queues for a process, and fails if done is closed before it gets one.
func (s *Shared) wait(call string, done <-chan struct{}) (i int, ok bool) {
	s.made(call)
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

// serve hands free processes to the waiters in the queue, under mu.
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

// A waiter is a goroutine in the queue. A Shared keeps as many as were ever queued
// at once. No two Shareds use the same waiter, because they may live in different
// synctest bubbles.
type waiter struct {
	process    chan int
	prev, next *waiter // in the list; the spare waiters use only next
}

// A list of waiters, the longest wait first. Any waiter can leave in constant time:
// when thousands abort at once, every other caller waits for mu.
type list struct{ first, last *waiter }

func (l *list) push(w *waiter) {
	w.prev, w.next = l.last, nil
	if l.last == nil {
		l.first = w
	} else {
		l.last.next = w
	}
	l.last = w
}

func (l *list) pop() *waiter {
	w := l.first
	l.remove(w)
	return w
}

// remove takes w out of the list, and reports whether it was in the list.
func (l *list) remove(w *waiter) bool {
	if w.prev == nil && l.first != w {
		return false
	}
	if w.prev == nil {
		l.first = w.next
	} else {
		w.prev.next = w.next
	}
	if w.next == nil {
		l.last = w.prev
	} else {
		w.next.prev = w.prev
	}
	w.prev, w.next = nil, nil
	return true
}
