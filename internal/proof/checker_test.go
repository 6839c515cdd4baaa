//go:build doorway_explore

package proof_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/page"
	"example.org/doorway/internal/proof"
	"example.org/doorway/internal/tier"
)

const (
	again  = "go run ./internal/proofs -update"
	fewest = 1000 // states of an exploration that docs/checker.md shows
)

// compare compares what is computed of a lock with testdata/<lock>.txt, or writes it there: its
// row of docs/locks.md, and then the rows of docs/checker.md, one for each exploration
// that took some states. The bytes and times of these are measurements: those of the last
// update. The quick tests compare what does not depend on the sizes that they leave out.
func compare(t *testing.T, r *proof.Result) {
	t.Helper()
	file := rowsOf(r.Algorithm.Name)
	text, err := os.ReadFile(file)
	require.True(t, err == nil || page.Updating(), "%v", err)
	shown := strings.SplitAfter(string(text), "\n")
	lines := []string{r.Row()}
	for k, report := range r.Reports {
		if report.States >= fewest {
			lines = append(lines, measured(row(r.Algorithm.Name, report, r.Took[k]), shown))
		}
	}
	now, was := strings.Join(lines, ""), string(text)
	switch {
	case page.Updating():
		require.True(t, tier.Full, "the rows need all sizes: %s", again)
		require.NoError(t, os.WriteFile(file, []byte(now), 0o644))
		return
	case !tier.Full:
		now, was = sizeless(now), sizeless(strings.Join(shown[:min(len(lines), len(shown))], ""))
	}
	require.Equal(t, was, now, "%s is stale: run %s", file, again)
}

// row returns the row of an exploration.
func row(lock string, r *explore.Report, took time.Duration) string {
	bytes, seconds := "–", fmt.Sprintf("%d ms", took.Round(10*time.Millisecond).Milliseconds())
	if r.States >= 100*fewest {
		bytes = strconv.FormatInt(r.Bytes/int64(r.States), 10)
	}
	if took >= time.Second {
		seconds = strconv.FormatFloat(took.Seconds(), 'f', 2, 64) + " s"
	}
	return fmt.Sprintf("| %s | %d | %s | %s | %s | %s |\n", lock, r.Processes, proof.Thousands(r.States), proof.Thousands(r.Transitions), bytes, seconds)
}

// measured returns the row with the measurements of that row among those shown which has
// the same exploration.
func measured(row string, shown []string) string {
	computed := sizeless(row)
	for _, s := range shown {
		if !page.Updating() && sizeless(s) == computed {
			return s
		}
	}
	return row
}

// sizeless returns rows without their last two columns: of a lock, the sizes checked and the
// states of the largest; of an exploration, what was measured.
func sizeless(rows string) string {
	var b strings.Builder
	for line := range strings.Lines(rows) {
		cells := strings.Split(line, "|")
		b.WriteString(strings.Join(cells[:max(0, len(cells)-3)], "|") + "\n")
	}
	return b.String()
}
