package mutex

import (
	"context"
	"fmt"
	"runtime"
)

// A ProcessLocker is one process of a Mutex as a [sync.Locker] that can also be
// tried and given up. What Mutex says of a process holds of it: it is for one
// goroutine at a time. While one that gave up ([ProcessLocker.LockContext]) is
// still being stood in for, its process is used through it alone.
type ProcessLocker struct {
	m Mutex
	i int

	ready bool          // made by Locker, and nobody stands in for one that gave up
	gone  chan struct{} // closed when who stands in has left
}

// Locker returns process i of m. It panics if m is nil, and unless
// 0 <= i < m.Processes().
func Locker(m Mutex, i int) *ProcessLocker {
	if m == nil {
		panic("mutex: locker of a nil Mutex")
	}
	switch n := m.Processes(); {
	case n < 1:
		panic(fmt.Sprintf("mutex: locker of process %d of a %T, which has no processes", i, m))
	case i < 0 || i >= n:
		panic(fmt.Sprintf("mutex: locker of process %d: the processes are 0 to %d", i, n-1))
	}
	return &ProcessLocker{m: m, i: i, ready: true}
}

// Lock runs the entry protocol of the process. It panics as that of the Mutex
// does.
func (l *ProcessLocker) Lock() {
	if !l.ready {
		l.reattach(nil)
	}
	l.m.Lock(l.i)
}

// Unlock runs the exit protocol of the process. It panics as that of the Mutex
// does.
func (l *ProcessLocker) Unlock() {
	if !l.ready {
		l.made("unlock")
		panic(fmt.Sprintf("mutex: unlock of process %d, which is not inside", l.i))
	}
	l.m.Unlock(l.i)
}

// TryLock enters the critical section if that needs no waiting, and reports
// whether it did; see [Abortable]. It panics if the Mutex is not Abortable, for
// then it cannot be tried.
func (l *ProcessLocker) TryLock() bool {
	l.made("lock")
	return abortable(l.m).TryLock(l.i)
}

// LockContext is Lock that gives up when ctx is done, and then returns
// ctx.Err(); nil means that the process is in its critical section. It panics if
// ctx is nil.
//
// If the Mutex is not Abortable, a goroutine waits in the place of a caller that
// gave up, and leaves as soon as it is inside; a later Lock of the process waits
// for it, and every call that ctx may end costs a goroutine. If the Lock of the
// Mutex panics there, the caller does, unless it has given up.
func (l *ProcessLocker) LockContext(ctx context.Context) error {
	if ctx == nil {
		panic(fmt.Sprintf("mutex: LockContext of process %d with a nil Context", l.i))
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
	gone := make(chan struct{})
	err := lockContext(ctx, l.m, l.i, func() { close(gone) })
	if err != nil {
		l.ready, l.gone = false, gone
	}
	return err
}

// reattach waits until nobody stands in for l, and returns false if done is
// closed before.
func (l *ProcessLocker) reattach(done <-chan struct{}) bool {
	l.made("lock")
	select {
	case <-l.gone:
	case <-done:
		return false
	}
	l.ready, l.gone = true, nil
	return true
}

// made panics if l was not made by Locker.
func (l *ProcessLocker) made(call string) {
	if l.m == nil {
		panic("mutex: " + call + " of a ProcessLocker that was not made by Locker")
	}
}

// abortable returns m as what can be tried.
func abortable(m Mutex) Abortable {
	a, ok := m.(Abortable)
	if !ok {
		panic(fmt.Sprintf("mutex: TryLock over a %T, which is not Abortable", m))
	}
	return a
}

// lockContext is LockContext of process i of m, which is not Abortable, and of a
// ctx that is not done: a goroutine stands in for the caller, and if the caller
// has given up when it is inside, it leaves at once. When it has left, and can no
// more, it calls gone. A panic of m.Lock is the caller's; if the caller has given
// up, nobody is left to be told, and the process can be used anew.
func lockContext(ctx context.Context, m Mutex, i int, gone func()) error {
	if ctx.Done() == nil {
		m.Lock(i)
		return nil
	}
	entered, gaveUp := make(chan func()), make(chan struct{})
	go func() {
		instead := runtime.Goexit // what m.Lock does instead of returning; nil: it returns
		defer func() {
			if p := recover(); p != nil {
				instead = func() { panic(p) }
			}
			select {
			case entered <- instead:
			case <-gaveUp:
				defer gone()
				if instead == nil {
					m.Unlock(i)
				}
			}
		}()
		m.Lock(i)
		instead = nil
	}()
	select {
	case instead := <-entered:
		if instead != nil {
			instead()
		}
		return nil
	case <-ctx.Done():
		close(gaveUp)
		return ctx.Err()
	}
}
