//go:build !doorway_explore

package register

// hosted says whether this build can have a host.
const hosted = false

func host() Host { return nil }

// Attach does nothing: this build can have no host.
func Attach(Host) {}
