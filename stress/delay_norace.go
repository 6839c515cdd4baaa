//go:build !race

package stress

// unsynchronized runs f: there is no race detector to hide it from.
func unsynchronized(f func()) { f() }
