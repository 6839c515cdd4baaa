package proof_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/docs/page"
	"example.org/doorway/internal/measure/costs"
	"example.org/doorway/internal/tier"
)

const full = "go test -tags doorway_full ./internal/proof -update"

// The quick tests compute the rows of these.
var quick = []string{"central", "maekawa", "tokenring", "suzukikasami", "raymond", "singhal"}

// The table of docs/which-algorithm.md is what is computed, and what the page says of it.
func TestNodes(t *testing.T) {
	rows := ""
	for _, p := range catalog.Protocols {
		if !tier.Full && !slices.Contains(quick, p.Name) {
			continue
		}
		row, err := rowOf(p)
		require.NoError(t, err, p.Name)
		assert.NoError(t, row.Err(), p.Name)
		assert.Equal(t, explore.Fails, row.FIFO.Status, "%s: a request may be in transit for any time", p.Name)
		t.Logf("%s: %d states", p.Name, row.States)
		rows += row.String()
	}
	compareRows(t, "../../docs/which-algorithm.md", "proved", full, heading, rows)
}

// The quick tests compute no rows of these.
var slow = []string{"bully", "total", "snapshot-suzukikasami"}

// The table of docs/systems.md is what is measured and computed. A system takes as many messages as it
// claims, whatever the number of nodes.
func TestSystems(t *testing.T) {
	rows := ""
	for _, s := range catalog.Systems {
		for _, n := range []int{2, 3, 5, 8, costs.Nodes} {
			messages, _, err := trial(s, n)
			require.NoError(t, err)
			least, most := s.Claims.Of(n)
			assert.GreaterOrEqual(t, float64(messages), least, "%s, %d nodes", s.Name, n)
			assert.LessOrEqual(t, float64(messages), most, "%s, %d nodes", s.Name, n)
		}
		if !tier.Full && slices.Contains(slow, s.Name) {
			continue
		}
		row, err := ofSystem(s)
		require.NoError(t, err, s.Name)
		if row.checked != nil {
			assert.Equal(t, explore.Holds, row.checked.Results.Status, s.Name)
		}
		rows += row.String()
	}
	compareRows(t, "../../docs/systems.md", "systems", full, systemsHeading, rows)
}

// The states and events of all instances of an algorithm are those in its file of testdata. Bytes
// and times are measurements: those of the last update.
func TestSizes(t *testing.T) {
	tier.NeedsFull(t, "explores millions of states")
	for _, p := range catalog.Protocols {
		t.Run(p.Name, func(t *testing.T) {
			tier.Each(t, p.Package())
			var rows []string
			for _, s := range sizes(p) {
				require.NoError(t, s.measure())
				t.Log(s)
				rows = append(rows, s.String())
			}
			compareMeasured(t, rowsOf("nodes", p.Name), again, rows)
		})
	}
}

// The table of docs/checker.md has the instances that were measured.
func TestPagesOfNodes(t *testing.T) {
	table := sizesHeading
	var total, without time.Duration
	for _, p := range catalog.Protocols {
		for row := range strings.Lines(page.Read(t, rowsOf("nodes", p.Name))) {
			cells := strings.Split(row, "|")
			took, err := time.ParseDuration(strings.ReplaceAll(cells[8], " ", ""))
			if err != nil {
				continue // a small one
			}
			table += row
			if total += took; cells[4] == " 0 " {
				without += took
			}
		}
	}
	table += fmt.Sprintf("\nTogether these take %.0f s, those without a crash %.0f s.\n", total.Seconds(), without.Seconds())
	page.Generated(t, "../../docs/checker.md", "sizes", generate, table)
}
