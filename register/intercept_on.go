//go:build race || doorway_intercept

package register

import "sync/atomic"

var interceptor atomic.Pointer[func(Access, *Word)]

func intercepted(a Access, w *Word) {
	if f := interceptor.Load(); f != nil {
		(*f)(a, w)
	}
}

// Intercept has f called before every access to a register, by the goroutine
// that makes it, from now on until the next call; nil ends it. Which register
// it is, w tells from others, of a gate or relay too; it is nil for [Waking],
// and is not to be used otherwise. Intercept is for tests
// that count accesses or delay them, and is safe for concurrent use. It reports
// whether this build intercepts: it does under the race detector and under the
// build tag doorway_intercept, and otherwise does nothing, for it would cost time.
func Intercept(f func(a Access, w *Word)) bool {
	if f == nil {
		interceptor.Store(nil)
	} else {
		interceptor.Store(&f)
	}
	return true
}
