package proved_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/page"
	"example.org/doorway/internal/proved"
	"example.org/doorway/internal/tier"
)

// The quick tests compute the rows of these.
var quick = []string{"central", "maekawa", "tokenring", "suzukikasami", "raymond", "singhal"}

// The table of docs/algorithms.md is what is computed, and what the page says of it.
func TestTable(t *testing.T) {
	const file, name, again = "../../docs/algorithms.md", "proved", "go test -tags doorway_full ./internal/proved -update"
	rows := ""
	for _, p := range catalog.Protocols {
		if !tier.Full && !slices.Contains(quick, p.Name) {
			continue
		}
		row, err := proved.Of(p)
		require.NoError(t, err, p.Name)
		assert.Empty(t, row.Failures(), p.Name)
		assert.Equal(t, explore.Fails, row.FIFO.Status, "%s: a request may be in transit for any time", p.Name)
		t.Logf("%s: %d states", p.Name, row.States)
		rows += row.String()
	}
	compare(t, file, name, again, proved.Heading, rows)
}

// compare compares a table of a page with what was computed: all of it in the full proof,
// otherwise some rows.
func compare(t *testing.T, file, name, again, heading, rows string) {
	t.Helper()
	if tier.Full {
		page.Generated(t, file, name, again, heading+rows)
		return
	}
	part := page.Part(t, file, name, again)
	for row := range strings.Lines(rows) {
		assert.Contains(t, part, strings.TrimSpace(row), "the table in %s is stale: run %s", file, again)
	}
}
