//go:build !doorway_explore

package hook

// Hosted reports whether this build can have a host.
const Hosted = false

// Attached returns nil: this build can have no host.
func Attached() Host { return nil }

// Seat does nothing: this build can have no host.
func Seat() {}

// Attach does nothing: this build can have no host.
func Attach(Host) {}
