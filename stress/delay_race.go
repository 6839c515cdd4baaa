//go:build race

package stress

import "runtime"

// unsynchronized runs f, whose atomic operations the race detector overlooks:
// they order nothing that is done before and after.
func unsynchronized(f func()) {
	runtime.RaceDisable()
	f()
	runtime.RaceEnable()
}
