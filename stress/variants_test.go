//go:build doorway_explore

package stress

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/catalog/variant"
)

// With delays, every broken lock is found with the fewest processes with which it
// fails.
//
// On average it takes less than 100 entries for peterson/turn-first and
// tournament/leaf-first, some 200 for bakery/late-number, 500 for
// lamportfast/want-first, and 3000, or a tenth of a second, for bakery/maxpos,
// which needs a tie of two, and a third that comes while the first of the two is
// inside and stops between two particular reads until the second is inside. Two
// million are allowed, and a minute: that a lock that is found in 3000 on
// average is not found in two million has a probability of about e^-600.
func TestBroken(t *testing.T) {
	for _, procs := range []int{1, 2, 8} {
		t.Run(fmt.Sprintf("procs=%d", procs), func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
			for _, a := range catalog.Broken {
				if a.Broken.Refuted == variant.Exclusion {
					t.Run(a.Name, func(t *testing.T) { findOut(t, a) })
				}
			}
		})
	}
}

func findOut(t *testing.T, a catalog.Algorithm) {
	t.Helper()
	entries := uint64(0)
	deadline := time.Now().Add(time.Minute)
	for seed := uint64(1); entries < 2e6 && time.Now().Before(deadline); seed++ {
		// Short runs: a broken lock may deadlock, or wear out. A
		// violation counts however the run ended.
		r, err := Run(a.New(a.Broken.Fewest), Config{
			Entries: 1000, Delay: 0.3, Seed: seed,
			Watchdog: time.Second, UntilViolation: true, Atomic: true,
		})
		entries += r.Entries
		if r.Violations > 0 {
			t.Logf("entry %d: %v", entries, r.Err())
			return
		}
		if err != nil {
			t.Log(err)
		}
	}
	t.Errorf("no violation in %d entries, though %s", entries, a.Broken.Why)
}
