//go:build doorway_explore

package proof_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/docs/page"
	"example.org/doorway/internal/proof"
	"example.org/doorway/internal/spelling"
	"example.org/doorway/internal/tier"
)

// fewest is how many states an exploration has that docs/checker.md shows.
const fewest = 1000

// compare compares what is computed of a lock with testdata/locks, or writes it there: its
// row of docs/locks.md, and then the rows of docs/checker.md, one for each exploration
// that took some states. The quick tests compare what does not depend on the sizes that they leave out.
func compare(t *testing.T, r *proof.Result) {
	t.Helper()
	rows := []string{property(r)}
	for k, report := range r.Reports {
		if report.States >= fewest {
			rows = append(rows, exploration(r.Algorithm.Name, report, r.Took[k]))
		}
	}
	require.True(t, tier.Full || !page.Updating(), "the rows need all sizes: %s", again)
	file := rowsOf("locks", r.Algorithm.Name)
	compareMeasured(t, file, again, rows)
	if first, _, _ := strings.Cut(page.Read(t, file), "\n"); tier.Full {
		require.Equal(t, first+"\n", rows[0], "%s is stale: run %s", file, again)
	}
}

// property returns the row of docs/locks.md. How many registers and accesses there are is claimed,
// and Differences compares it with what was counted.
func property(r *proof.Result) string {
	c := r.Algorithm.Claims
	source := r.Algorithm.Source
	if c.Assumes != "" {
		source += "; assumes " + c.Assumes
	}
	bypasses, fast, checked := "∞", "no", r.Processes()
	if n := r.Bypasses(); n >= 0 {
		bypasses = strconv.Itoa(n)
	}
	if r.Fast() {
		fast = "yes"
	}
	if r.Numbers() == "unbounded" {
		checked += ", numbers ≤ " + r.Followed()
	}
	return spelling.Row(
		"`"+r.Algorithm.Import+"`", source, r.Says(proof.MutualExclusion), r.Says(proof.DeadlockFree), r.Says(proof.StarvationFree), r.Says(proof.FIFO),
		bypasses, fast, c.Registers.Text, r.Says(proof.SafeRegisters), c.Alone(), r.Numbers(), checked, spelling.Thousands(r.States()),
	)
}

// exploration returns the row of an exploration.
func exploration(lock string, r *explore.Report, took time.Duration) string {
	bytes, seconds := "–", fmt.Sprintf("%d ms", took.Round(10*time.Millisecond).Milliseconds())
	if r.States >= 100*fewest {
		bytes = strconv.FormatInt(r.Bytes/int64(r.States), 10)
	}
	if took >= time.Second {
		seconds = strconv.FormatFloat(took.Seconds(), 'f', 2, 64) + " s"
	}
	return spelling.Row(lock, r.Processes, spelling.Thousands(r.States), spelling.Thousands(r.Transitions), bytes, seconds)
}
