//go:build doorway_explore

package seam

import "sync/atomic"

// Hosted reports whether this build can have a host.
const Hosted = true

var attached atomic.Pointer[Host]

// Attached returns the host, or nil if registers are the hardware's.
func Attached() Host {
	if h := attached.Load(); h != nil {
		return *h
	}
	return nil
}

// Attach makes h the host of all registers of the program until the next call; nil
// returns them to the hardware. Meanwhile only the protocol that h runs may use a
// register. In a build without hosts Attach does nothing, because a check at every
// access would cost time.
func Attach(h Host) {
	if h == nil {
		attached.Store(nil)
	} else {
		attached.Store(&h)
	}
}
