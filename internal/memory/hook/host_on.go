//go:build doorway_explore

package hook

import (
	"context"
	"runtime/pprof"
	"sync/atomic"
	"unsafe"
)

// Hosted reports whether this build can have a host.
const Hosted = true

// A seat is a host with the goroutine whose registers it implements.
type seat struct {
	host Host
	of   unsafe.Pointer // its labels
}

var attached atomic.Pointer[seat]

// labels returns the labels of the calling goroutine, which identify one that has called
// [Seat]: nothing else in Go tells a goroutine from others in a few nanoseconds. The
// runtime keeps this function for callers outside of it (go.dev/issue/67401).
//
//go:linkname labels runtime/pprof.runtime_getProfLabel
func labels() unsafe.Pointer

// Attached returns the host of the calling goroutine, or nil if its registers are the
// hardware's.
func Attached() Host {
	if s := attached.Load(); s != nil && s.of == labels() {
		return s.host
	}
	return nil
}

// Seat gives the calling goroutine an identity, which those that it starts share.
func Seat() {
	pprof.SetGoroutineLabels(pprof.WithLabels(context.Background(), pprof.Labels("doorway", "explore")))
}

// Attach makes h the host of the registers of the calling goroutine, which has called
// [Seat], until the next call by any goroutine; nil returns them to the hardware. All
// other goroutines go on with the hardware. In a build without hosts Attach does
// nothing, because a check at every access would cost time.
func Attach(h Host) {
	if h == nil {
		attached.Store(nil)
	} else {
		attached.Store(&seat{h, labels()})
	}
}

// foreign tells the host of another goroutine about an access to a register.
func foreign(of *atomic.Uint64) {
	if s := attached.Load(); s != nil && of != nil {
		s.host.Foreign(of)
	}
}
