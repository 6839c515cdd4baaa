//go:build race

package stress

import "runtime"

// unsynchronized runs f, whose atomic operations the race detector ignores: they
// establish no happens-before edge.
func unsynchronized(f func()) {
	runtime.RaceDisable()
	f()
	runtime.RaceEnable()
}
