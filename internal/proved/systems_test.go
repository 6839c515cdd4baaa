package proved_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/costs"
	"example.org/doorway/internal/page"
	"example.org/doorway/internal/proved"
	"example.org/doorway/internal/tier"
)

// The quick tests compute no rows of these.
var slow = []string{"bully", "total", "snapshot-suzukikasami"}

// The table of docs/systems.md is what is measured and computed. What a system claims holds.
func TestSystems(t *testing.T) {
	rows := ""
	for _, s := range catalog.Systems {
		if !tier.Full && slices.Contains(slow, s.Name) {
			continue
		}
		row, err := proved.OfSystem(s)
		require.NoError(t, err, s.Name)
		if row.Checked != nil {
			assert.Equal(t, explore.Holds, row.Checked.Results.Status, s.Name)
		}
		least, most := s.Claims.Of(costs.Nodes)
		assert.GreaterOrEqual(t, float64(row.Messages), least, s.Name)
		assert.LessOrEqual(t, float64(row.Messages), most, s.Name)
		rows += row.String()
	}
	page.Rows(t, "../../docs/systems.md", "systems", again, proved.SystemsHeading, rows)
}
