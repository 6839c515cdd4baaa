//go:build !race && !doorway_explore

package hook

import "sync/atomic"

// Intercepted does nothing: in this build registers are the hardware's.
func Intercepted(Access, *atomic.Uint64) {}

// Intercept reports that this build intercepts nothing.
func Intercept(func(Access, *atomic.Uint64)) bool { return false }
