//go:build !doorway_variants

package catalog

import "example.org/doorway/mutex"

// Variants reports whether this build has the wrong variants.
const Variants = false

var (
	wrongLocks     map[string]func(n int) mutex.Abortable
	wrongProtocols []Protocol
)
