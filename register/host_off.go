//go:build !explore

package register

// hosted says whether this build can have a host.
const hosted = false

func host() Host { return nil }

// Attach reports that this build can have no host.
func Attach(Host) bool { return false }
