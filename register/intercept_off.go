//go:build !race && !doorway_intercept

package register

// intercepted does nothing: in a build without the race detector registers are
// the hardware's.
func intercepted(Access, *Word) {}

// Intercept reports that this build intercepts nothing.
func Intercept(func(Access, *Word)) bool { return false }
