// Package tier divides the tests of this library into two tiers, so that the first
// command a newcomer runs takes less than a minute:
//
//	go test work                       # the quick tests
//	go test -tags doorway_full work    # the full proof: the quick tests and all others
//
// The full proof adds tests that take long: the largest instances, every mutant,
// long stress, and programs and modules that a test builds with the go command.
package tier

import (
	"fmt"
	"testing"
)

// NeedsFull skips tb unless this is the full proof. whatFor describes what tb does,
// as in "compiles a few hundred mutants".
func NeedsFull(tb testing.TB, whatFor string) {
	tb.Helper()
	if !Full {
		tb.Skipf("%s: go test -tags doorway_full", whatFor)
	}
}

// Pick returns quick or, in the full proof, full, for a test with two sizes.
func Pick[T any](quick, full T) T {
	if Full {
		return full
	}
	return quick
}

// Sequential runs the tests of a package that starts no goroutines, nor tests what does: not
// with the race detector, which would find nothing, and makes them five times slower.
func Sequential(m *testing.M) {
	if Race {
		fmt.Println("nothing runs concurrently: not with the race detector")
		return
	}
	m.Run()
}

// Fewer returns a tenth of n with the race detector, and n without: the number of seeds of
// a test of code that runs in one goroutine, where the detector finds little.
func Fewer(n int) int {
	if Race {
		return max(1, n/10)
	}
	return n
}
