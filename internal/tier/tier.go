// Package tier divides the tests of this library into two tiers, so that the first
// command a newcomer runs takes about a minute:
//
//	go test work                       # the quick tests
//	go test -tags doorway_full work    # the same with their full sizes, and others
//
// What is larger or runs the go command belongs to the full proof, which is the second
// command, internal/explored and internal/proof/run: `.ci/run full` has all of it. It
// adds the largest instances, every mutant, long stress, and programs and modules that a test
// builds with the go command.
package tier

import (
	"cmp"
	"fmt"
	"os"
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

// Variable is the environment variable with the name of the package of algorithms whose long
// proofs are computed.
const Variable = "DOORWAY_PROOF"

// Each skips the test of an algorithm in the full proof unless it is one of pkg, a package of
// algorithms whose proofs are computed now, or "" and these are of no such package. See package
// proofs, which computes those of each package on its own.
func Each(tb testing.TB, pkg string) {
	tb.Helper()
	if Full && os.Getenv(Variable) != pkg {
		tb.Skip("it belongs to the proofs of " + cmp.Or(pkg, "no algorithm"))
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
