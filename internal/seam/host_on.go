//go:build doorway_explore

package seam

import "sync/atomic"

// Hosted reports whether this build can have a host.
const Hosted = true

var attached atomic.Pointer[Host]

// Attached returns the host, or nil: then registers are the hardware's.
func Attached() Host {
	if h := attached.Load(); h != nil {
		return *h
	}
	return nil
}

// Attach puts h behind all registers of the program, until the next call; nil
// gives them back to the hardware. In the meantime nothing but the protocol
// that h runs may use a register. In a build that can have no host Attach does
// nothing, for a seam at every access would cost time.
func Attach(h Host) {
	if h == nil {
		attached.Store(nil)
	} else {
		attached.Store(&h)
	}
}
