package costs_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/costs"
)

var update = flag.Bool("update", false, "write the table of costs into the README")

// What the catalog says of an algorithm is what it costs, whatever the number of nodes.
func TestClaims(t *testing.T) {
	for _, p := range catalog.Protocols {
		for _, n := range []int{2, 3, 5, 9, 13, 20} {
			row, err := costs.Measure(p, n)
			if !assert.NoError(t, err) {
				continue
			}
			for what, f := range map[string]costs.Figure{
				"messages alone": row.Alone, "messages loaded": row.Loaded, "delay": row.Delay, "response": row.Response,
			} {
				if !f.Holds() {
					t.Errorf("%s with %d nodes: %s is %.3f, claimed %s: %.3f to %.3f", p.Name, n, what, f.Measured, f.Claim, f.Least, f.Most)
				}
			}
		}
	}
}

// The table of the README is what is measured.
func TestReadme(t *testing.T) {
	const path, begin, end = "../../README.md", "<!-- table: go test ./internal/costs -update -->\n", "<!-- end of costs -->\n"
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(text), begin)
	_, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("%s has no place for the table: no %q with %q behind it", path, begin, end)
	}
	rows, err := costs.Table(costs.Nodes)
	require.NoError(t, err)
	want := before + begin + markdown(rows) + end + after
	switch {
	case want == string(text):
	case !*update:
		t.Errorf("the table of costs in %s is stale: run go test ./internal/costs -update", path)
	default:
		require.NoError(t, os.WriteFile(path, []byte(want), 0o666))
	}
}

func markdown(rows []costs.Row) string {
	var b strings.Builder
	b.WriteString("| algorithm | source | messages alone | measured | under load | measured | delay | measured | links | a request given up |\n")
	b.WriteString("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n")
	for _, r := range rows {
		links, given := "any", "absorbed"
		if r.Protocol.FIFO {
			links = "FIFO"
		}
		if r.Protocol.Withdraws() {
			given = "withdrawn"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", r.Protocol.Import, r.Protocol.Source,
			cells(r.Alone), cells(r.Loaded), cells(r.Delay), links+" | "+given)
	}
	return b.String()
}

// cells are what is claimed and what was measured.
func cells(f costs.Figure) string { return fmt.Sprintf("%s | %.4g", f.Claim, f.Measured) }
