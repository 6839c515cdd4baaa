//go:build race || doorway_explore

package seam

import "sync/atomic"

var interceptor atomic.Pointer[func(Access, *Number)]

// Intercepted is called before every access to a register.
func Intercepted(a Access, of *Number) {
	if f := interceptor.Load(); f != nil {
		(*f)(a, of)
	}
}

// Intercept has f called before every access to a register, by the goroutine
// that makes it, from now on until the next call; nil ends it. Which register
// it is, the pointer tells from others; it is nil for [Waking], and is not to be
// followed. Intercept is for tests that count accesses or delay them, and is
// safe for concurrent use. It reports whether this build intercepts: it does
// under the race detector and under the build tag doorway_explore, and otherwise
// does nothing, for it would cost time.
func Intercept(f func(a Access, of *Number)) bool {
	if f == nil {
		interceptor.Store(nil)
	} else {
		interceptor.Store(&f)
	}
	return true
}
