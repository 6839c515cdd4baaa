// Package tier divides the tests of this library in two, so that the first
// command a newcomer runs takes less than a minute:
//
//	go test work                       # the quick tests
//	go test -tags doorway_full work    # the full proof: the quick tests and all others
//
// The full proof contains what takes long: the largest instances, every mutant,
// long stress, programs and modules that a test has the go command build.
package tier

import "testing"

// NeedsFull skips tb unless this is the full proof. What for says what tb would
// do, as in "compiles a few hundred mutants".
func NeedsFull(tb testing.TB, whatFor string) {
	tb.Helper()
	if !Full {
		tb.Skipf("%s: go test -tags doorway_full", whatFor)
	}
}

// Pick returns quick or, in the full proof, full: the size of one test that
// has two.
func Pick[T any](quick, full T) T {
	if Full {
		return full
	}
	return quick
}
