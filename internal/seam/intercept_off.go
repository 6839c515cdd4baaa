//go:build !race && !doorway_explore

package seam

// Intercepted does nothing: in this build registers are the hardware's.
func Intercepted(Access, *Number) {}

// Intercept reports that this build intercepts nothing.
func Intercept(func(Access, *Number)) bool { return false }
