//go:build !race

package stress

// unsynchronized runs f: there is nobody to hide it from.
func unsynchronized(f func()) { f() }
