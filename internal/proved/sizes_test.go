package proved_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/page"
	"example.org/doorway/internal/proved"
	"example.org/doorway/internal/tier"
)

// The states and events of all instances of an algorithm are those in its file of testdata. Bytes
// and times are measurements: those of the last update.
func TestSizes(t *testing.T) {
	tier.NeedsFull(t, "explores millions of states")
	for _, p := range catalog.Protocols {
		t.Run(p.Name, func(t *testing.T) {
			tier.Each(t, p.Package())
			var instances, rows string
			for _, s := range proved.Sizes(p) {
				require.NoError(t, s.Measure())
				t.Log(s.Instance() + s.Measured())
				instances += s.Instance() + "\n"
				rows += s.Instance() + s.Measured()
			}
			if page.Updating() {
				require.NoError(t, os.WriteFile(rowsOf(p.Name), []byte(rows), 0o644))
			}
			shown := ""
			for _, cells := range sizesOf(t, p.Name) {
				shown += strings.Join(cells[:7], "|") + "|\n"
			}
			require.Equal(t, shown, instances, "%s is stale: go run ./internal/proofs -update", rowsOf(p.Name))
		})
	}
}

//go:generate go test -run TestSizesPage . -update

// The table of docs/checker.md has the rows of all algorithms.
func TestSizesPage(t *testing.T) {
	table := proved.SizesHeading
	var total, without time.Duration
	for _, p := range catalog.Protocols {
		for _, cells := range sizesOf(t, p.Name) {
			table += strings.Join(cells, "|") + "\n"
			took, err := time.ParseDuration(strings.ReplaceAll(cells[8], " ", ""))
			if err != nil {
				took = 0 // a small one
			}
			if total += took; cells[4] == " 0 " {
				without += took
			}
		}
	}
	table += fmt.Sprintf("\nTogether these take %.0f s, those without a crash %.0f s.\n", total.Seconds(), without.Seconds())
	page.Generated(t, "../../docs/checker.md", "sizes", "go generate ./internal/proved", table)
}

// rowsOf returns the file with the sizes of an algorithm.
func rowsOf(protocol string) string { return "testdata/" + protocol + ".txt" }

// sizesOf returns the cells of its rows.
func sizesOf(t *testing.T, protocol string) (rows [][]string) {
	t.Helper()
	for line := range strings.Lines(page.Read(t, rowsOf(protocol))) {
		rows = append(rows, strings.Split(strings.TrimSuffix(line, "\n"), "|"))
	}
	return rows
}
