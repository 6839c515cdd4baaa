//go:build doorway_explore

package register

import "sync/atomic"

// hosted says whether this build can have a host.
const hosted = true

var attached atomic.Pointer[Host]

// host returns the host, or nil: then registers are the hardware's.
func host() Host {
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
