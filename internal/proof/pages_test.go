package proof_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/docs/page"
	"example.org/doorway/internal/tier"
)

//go:generate go test -run TestPages . -update

const locksHeading = "| lock | source | mutual exclusion | deadlock-free | starvation-free | FIFO | bypass bound | fast path | registers |" +
	" tolerates safe registers | uncontended accesses | numbers up to | every interleaving of n = | states |\n" +
	"| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n"

const (
	again    = "go run ./internal/proof/run -update"
	generate = "go generate ./internal/proof"
)

// rowsOf returns the file with what is computed of a lock, or of an algorithm for nodes.
func rowsOf(of, name string) string { return filepath.Join("testdata", of, name+".txt") }

// The tables of docs/locks.md and docs/checker.md have the rows that are computed
// of each lock.
func TestPagesOfLocks(t *testing.T) {
	var locks, explorations strings.Builder
	var all, quick, longest, next time.Duration
	for _, a := range catalog.Algorithms {
		row, rest, _ := strings.Cut(page.Read(t, rowsOf("locks", a.Name)), "\n")
		locks.WriteString(row + "\n")
		for line := range strings.Lines(rest) {
			cells := strings.Split(line, " | ")
			took, err := time.ParseDuration(strings.NewReplacer(" ", "", "|", "", "\n", "").Replace(cells[len(cells)-1]))
			require.NoError(t, err, line)
			if all += took; !strings.Contains(line, "| – |") {
				explorations.WriteString(line)
			}
			longest, next = max(longest, took), max(min(longest, took), next)
			if cells[1] <= "3" {
				quick += took
			}
		}
	}
	page.Generated(t, "../../docs/locks.md", "properties", generate, locksHeading+locks.String())
	page.Generated(t, "../../docs/checker.md", "explorations", generate, fmt.Sprintf(
		"| lock | n | states | steps | bytes a state | time |\n| --- | ---: | ---: | ---: | ---: | ---: |\n%s\n"+
			"Together these take %.0f s, without the two longest %.0f s, and those of at most three processes %.0f s.\n",
		explorations.String(), all.Seconds(), (all-longest-next).Seconds(), quick.Seconds()))
}

// compareRows compares a table of a page: all of it in the full proof, otherwise some of its rows.
func compareRows(t *testing.T, file, name, command, heading, rows string) {
	t.Helper()
	if tier.Full {
		page.Generated(t, file, name, command, heading+rows)
		return
	}
	require.NotEmpty(t, rows)
	part := page.Part(t, file, name, command)
	for row := range strings.Lines(rows) {
		require.Contains(t, part, row, "the %s in %s are stale: run %s", name, file, command)
	}
}

// compareMeasured compares a file with rows whose last two columns are measurements: those of the file are of the last
// update, and are not compared. The quick tests compare the first rows.
func compareMeasured(t *testing.T, file, command string, rows []string) {
	t.Helper()
	if page.Updating() {
		require.NoError(t, os.WriteFile(file, []byte(strings.Join(rows, "")), 0o644))
	}
	steady := func(rows []string) (all []string) {
		for _, row := range rows {
			cells := strings.Split(row, "|")
			all = append(all, strings.Join(cells[:max(0, len(cells)-3)], "|"))
		}
		return all
	}
	shown := slices.Collect(strings.Lines(page.Read(t, file)))
	if !tier.Full {
		shown = shown[:min(len(rows), len(shown))]
	}
	require.Equal(t, steady(shown), steady(rows), "%s is stale: run %s", file, command)
}
