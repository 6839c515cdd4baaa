//go:build race || doorway_explore

package hook

import "sync/atomic"

var interceptor atomic.Pointer[func(Access, *atomic.Uint64)]

// Intercepted is called before every access to a register.
func Intercepted(a Access, of *atomic.Uint64) {
	foreign(of)
	if f := interceptor.Load(); f != nil {
		(*f)(a, of)
	}
}

// Intercept calls f before every access to a register, in the goroutine that makes
// it, until the next call of Intercept; nil ends it. The pointer identifies the
// register and must not be dereferenced; it is nil for [Waking]. Intercept is for
// tests that count or delay accesses, and is safe for concurrent use. It reports
// whether this build intercepts: it does under the race detector and with the build
// tag doorway_explore. Otherwise it does nothing, because it would cost time.
func Intercept(f func(a Access, of *atomic.Uint64)) bool {
	if f == nil {
		interceptor.Store(nil)
	} else {
		interceptor.Store(&f)
	}
	return true
}
