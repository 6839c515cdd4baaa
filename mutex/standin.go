package mutex

import (
	"context"
	"runtime"
)

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
