package proved_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/page"
	"example.org/doorway/internal/proved"
	"example.org/doorway/internal/tier"
)

const again = "go test -tags doorway_full ./internal/proved -update"

// The quick tests compute the rows of these.
var quick = []string{"central", "maekawa", "tokenring", "suzukikasami", "raymond", "singhal"}

// The table of docs/algorithms.md is what is computed, and what the page says of it.
func TestTable(t *testing.T) {
	rows := ""
	for _, p := range catalog.Protocols {
		if !tier.Full && !slices.Contains(quick, p.Name) {
			continue
		}
		row, err := proved.Of(p)
		require.NoError(t, err, p.Name)
		assert.NoError(t, row.Err(), p.Name)
		assert.Equal(t, explore.Fails, row.FIFO.Status, "%s: a request may be in transit for any time", p.Name)
		t.Logf("%s: %d states", p.Name, row.States)
		rows += row.String()
	}
	page.Rows(t, "../../docs/algorithms.md", "proved", again, proved.Heading, rows)
}
