package mutex

import (
	"context"
	"sync/atomic"

	"example.org/doorway/internal/memory/hook"
)

// A Shared is a [sync.Locker] for any number of goroutines over a Mutex of n
// processes: Lock takes a free process, and Unlock returns it. It can be the Locker
// of a [sync.Cond]. It must not be copied after first use.
//
// Which goroutine enters next depends on the order that m declares (see [Mutex]):
//
//   - FIFO: first come, first served. A goroutine that comes while another runs its
//     entry protocol joins a queue, under a lock that is held for a few instructions.
//     From then on it enters after all that came before, and before all that come
//     later. It is admitted when the one before it has left, and takes over its process:
//     so as a rule it parks once, and at most two processes contend.
//   - Barging: at most two goroutines contend, in any order. Others queue; the first
//     in the queue is woken when one of the two has left, and may find its process
//     taken again. If it has waited for a millisecond then, it goes first, and so do
//     those behind it that have waited for four. A sync.Mutex does much the same.
//   - None: up to n goroutines contend at a time, and have the properties of the
//     algorithm from its doorway on; further goroutines queue for a process in FIFO
//     order. Between receiving a process and the doorway, goroutines may bypass each
//     other.
//
// A goroutine that receives a process whose aborted acquisition is still being
// absorbed first waits for its end.
//
// The happens-before edges are those of [sync.Mutex]: a call of Unlock is
// synchronized before the return of every later call of Lock, and of every later
// TryLock and LockContext that succeeds. As with sync.Mutex, one goroutine may lock
// a Shared and another unlock it.
type Shared struct {
	m      Mutex
	holder int     // the process that is inside plus 1, or 0; guarded by m itself
	kept   *waiter // of the goroutine inside; see admission.entered; guarded likewise

	_ [32]byte // the fields below are also written by goroutines that do not enter
	admission
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
		panic("mutex: share of a Mutex of " + hook.Decimal(n) + " processes: there must be 1 to " + hook.Decimal(maxProcesses))
	}
	order := orderOf(m)
	if order == barging {
		n = min(n, 2)
	}
	return &Shared{m: m, admission: admission{order: order, patience: patience, taken: make([]atomic.Bool, n)}}
}

// Lock blocks until the calling goroutine is in the critical section. If Lock of
// the Mutex panics, as that of a closed cluster does, so does this one. The process
// is then free again, so no caller waits behind one that failed.
func (s *Shared) Lock() {
	r := s.called()
	var w *waiter
	i, ok := s.take()
	if !ok {
		s.made("lock")
		i, w, _ = s.wait(nil, r)
	} else if r != nil {
		s.record(i, r)
	}
	entered := false
	defer s.unlessEntered(i, w, &entered)
	s.m.Lock(i)
	entered = true
	s.holds(i, w, r)
}

// Unlock leaves the critical section. It panics if s is not locked.
func (s *Shared) Unlock() {
	i := s.holder - 1
	if i < 0 {
		s.notLocked()
	}
	kept := s.kept
	s.holder, s.kept = 0, nil
	if s.watched.Load() != nil {
		s.record(i, nil)
	}
	defer s.give(i, kept) // even if it panics: then m panics for the next caller too
	s.m.Unlock(i)
}

// TryLock tries to enter the critical section without waiting, and reports whether
// it succeeded. It may fail although s is not locked; see [Abortable]. It panics if
// the Mutex is not Abortable.
func (s *Shared) TryLock() bool {
	s.made("lock")
	a := s.abortable("TryLock")
	r := s.called()
	i, ok := s.take()
	if !ok {
		return false
	}
	entered := false
	defer s.unlessEntered(i, nil, &entered)
	if entered = a.TryLock(i); entered {
		s.holds(i, nil, r)
	}
	return entered
}

// abortable returns the Mutex as an Abortable, and panics if it is not one.
func (s *Shared) abortable(call string) Abortable {
	a, ok := s.m.(Abortable)
	if !ok {
		panic("mutex: " + call + " over a Mutex that is not Abortable")
	}
	return a
}

// LockContext is Lock that aborts when ctx is done, and then returns ctx.Err();
// nil means that the calling goroutine is in the critical section. It panics if
// ctx is nil, or the Mutex is not Abortable.
func (s *Shared) LockContext(ctx context.Context) error {
	if ctx == nil {
		panic("mutex: LockContext of a Shared with a nil Context")
	}
	s.made("lock")
	a := s.abortable("LockContext")
	if err := ctx.Err(); err != nil {
		return err
	}
	r := s.called()
	var w *waiter
	i, ok := s.take()
	if !ok {
		if i, w, ok = s.wait(ctx.Done(), r); !ok {
			return ctx.Err()
		}
	} else if r != nil {
		s.record(i, r)
	}
	entered := false
	defer s.unlessEntered(i, w, &entered)
	err := a.LockContext(ctx, i)
	if entered = err == nil; entered {
		s.holds(i, w, r)
	}
	return err
}

// holds ends a call that has entered as process i.
func (s *Shared) holds(i int, w *waiter, r *record) {
	s.holder = i + 1
	if r != nil || w != nil || s.order == firstCome {
		s.admitNext(w, r)
	}
}

// admitNext is the rest of holds. It costs a few nanoseconds, and a goroutine
// that has not waited has nothing to do there unless the order is firstCome.
func (s *Shared) admitNext(w *waiter, r *record) {
	if r != nil {
		s.record(s.holder-1, r.entered())
	}
	s.kept = s.entered(w)
}

// unlessEntered gives process i back if its entry has failed, whether by an error,
// a panic or runtime.Goexit.
func (s *Shared) unlessEntered(i int, w *waiter, entered *bool) {
	if !*entered {
		s.failed(i, w)
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
