package mutex

import (
	"context"
	"runtime"

	"example.org/doorway/internal/seam"
)

// A ProcessLocker is a [sync.Locker], with TryLock and LockContext, for one process
// of a Mutex. Like the process, it must be used by one goroutine at a time. After
// an aborted [ProcessLocker.LockContext], a goroutine may still be finishing the
// entry; until then the process must be used only through its ProcessLocker.
type ProcessLocker struct {
	m Mutex
	i int

	ready    bool          // made by Locker, and no goroutine stands in for an aborted call
	finished chan struct{} // closed when that goroutine has left
}

// Locker returns a ProcessLocker for process i of m. It panics if m is nil, and
// unless 0 <= i < m.Processes().
func Locker(m Mutex, i int) *ProcessLocker {
	if m == nil {
		panic("mutex: locker of a nil Mutex")
	}
	switch n := m.Processes(); {
	case n < 1:
		panic("mutex: locker of process " + seam.Decimal(i) + " of a Mutex that has no processes")
	case i < 0 || i >= n:
		panic("mutex: locker of process " + seam.Decimal(i) + ": the processes are 0 to " + seam.Decimal(n-1))
	}
	return &ProcessLocker{m: m, i: i, ready: true}
}

// Lock runs the entry protocol of the process. It panics if Lock of the Mutex does.
func (l *ProcessLocker) Lock() {
	if !l.ready {
		l.reattach(nil)
	}
	l.m.Lock(l.i)
}

// Unlock runs the exit protocol of the process. It panics if Unlock of the Mutex
// does.
func (l *ProcessLocker) Unlock() {
	if !l.ready {
		l.made("unlock")
		panic("mutex: unlock of process " + seam.Decimal(l.i) + ", which is not inside")
	}
	l.m.Unlock(l.i)
}

// TryLock tries to enter the critical section without waiting, and reports whether
// it succeeded; see [Abortable]. It returns false while another process is inside, and panics
// if its own is, as Lock does: TryLock of a sync.Mutex and of a [Shared] returns false then, but
// they have no owner, and a process has one that knows. It panics if the Mutex is not Abortable.
func (l *ProcessLocker) TryLock() bool {
	l.made("lock")
	return abortable(l.m).TryLock(l.i)
}

// LockContext is Lock that aborts when ctx is done, and then returns ctx.Err();
// nil means that the process is in its critical section. It panics if ctx is nil.
//
// If the Mutex is not Abortable, every call with a ctx that can be done starts a
// goroutine that calls Lock. After an abort this goroutine continues, and unlocks
// as soon as it has entered; a later Lock of the process waits for it. If Lock of
// the Mutex panics, so does LockContext, unless it has aborted.
func (l *ProcessLocker) LockContext(ctx context.Context) error {
	if ctx == nil {
		panic("mutex: LockContext of process " + seam.Decimal(l.i) + " with a nil Context")
	}
	l.made("lock")
	if a, ok := l.m.(Abortable); ok {
		return a.LockContext(ctx, l.i)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if !l.ready && !l.reattach(ctx.Done()) {
		return ctx.Err()
	}
	finished := make(chan struct{})
	err := lockContext(ctx, l.m, l.i, func() { close(finished) })
	if err != nil {
		l.ready, l.finished = false, finished
	}
	return err
}

// reattach waits until no goroutine stands in for l, and returns false if done is
// closed first.
func (l *ProcessLocker) reattach(done <-chan struct{}) bool {
	l.made("lock")
	select {
	case <-l.finished:
	case <-done:
		return false
	}
	l.ready, l.finished = true, nil
	return true
}

// made panics if l was not made by Locker.
func (l *ProcessLocker) made(call string) {
	if l.m == nil {
		panic("mutex: " + call + " of a ProcessLocker that was not made by Locker")
	}
}

// abortable returns m as an Abortable, and panics if it is not one.
func abortable(m Mutex) Abortable {
	a, ok := m.(Abortable)
	if !ok {
		panic("mutex: TryLock over a Mutex that is not Abortable")
	}
	return a
}

// lockContext is LockContext of process i of m, which is not Abortable, with a ctx
// that is not done. A goroutine stands in for the caller; if the caller has aborted
// by the time the goroutine has entered, it leaves at once. After an abort it ends
// by calling finished. A panic of m.Lock is passed on to the caller, unless the
// caller has aborted: then it is dropped, and the process can be used again.
func lockContext(ctx context.Context, m Mutex, i int, finished func()) error {
	if ctx.Done() == nil {
		m.Lock(i)
		return nil
	}
	ended, aborted := make(chan func()), make(chan struct{})
	go func() {
		failure := runtime.Goexit // how m.Lock ends if it does not return; nil: it has returned
		defer func() {
			if p := recover(); p != nil {
				failure = func() { panic(p) }
			}
			select {
			case ended <- failure:
			case <-aborted:
				defer finished()
				if failure == nil {
					m.Unlock(i)
				}
			}
		}()
		m.Lock(i)
		failure = nil
	}()
	select {
	case failure := <-ended:
		if failure != nil {
			failure()
		}
		return nil
	case <-ctx.Done():
		close(aborted)
		return ctx.Err()
	}
}
