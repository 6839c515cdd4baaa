package proved_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/page"
	"example.org/doorway/internal/proved"
	"example.org/doorway/internal/tier"
)

// The table of docs/checker.md has the states and events of all instances. Its bytes and
// times are measurements: those of the last update.
func TestSizes(t *testing.T) {
	const file, name, again = "../../docs/checker.md", "sizes", "go test -tags doorway_full ./internal/proved -update"
	tier.NeedsFull(t, "explores millions of states")
	shown := page.Part(t, file, name, again)
	table, instances := proved.SizesHeading, 0
	var total, without time.Duration
	for _, s := range proved.Sizes() {
		require.NoError(t, s.Measure())
		t.Log(s.Instance() + s.Measured())
		if !page.Updating() {
			assert.Contains(t, shown, s.Instance(), "the table in %s is stale: run %s", file, again)
		}
		table += s.Instance() + s.Measured()
		instances++
		if total += s.Took; s.Crashes == 0 {
			without += s.Took
		}
	}
	table += fmt.Sprintf("\nTogether these take %.0f s, those without a crash %.0f s.\n", total.Seconds(), without.Seconds())
	if page.Updating() {
		page.Generated(t, file, name, again, table)
		return
	}
	assert.Equal(t, instances, strings.Count(shown, "\n| `"), "the table in %s has other instances: run %s", file, again)
}
