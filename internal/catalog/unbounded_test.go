package catalog_test

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/tier"
)

var unboundedTable = regexp.MustCompile(`(?s)<!-- unbounded -->.*<!-- end of unbounded -->`)

// The table of docs/checker.md has the states of each protocol that has finitely many for any
// number of requests; the others are refused, and do not run until memory is full.
func TestUnboundedRequests(t *testing.T) {
	page, err := os.ReadFile("../../docs/checker.md")
	require.NoError(t, err)
	table := strings.ReplaceAll(unboundedTable.FindString(string(page)), ",", "")
	for _, p := range catalog.Protocols {
		row := regexp.MustCompile(`\n\| ` + p.Name + ` \| (\d+) \| (\d+|–|grows) \|\n`).FindStringSubmatch(table)
		if row == nil && !tier.Full {
			continue
		}
		for n := 2; n <= tier.Pick(2, 3); n++ {
			r, err := explore.CheckNodes(explore.NodesConfig{
				New: p.New(n), Nodes: n, Rounds: explore.Unbounded, Perpetual: p.Perpetual, Invariant: p.Invariant, Memory: 100 << 20,
			})
			switch {
			case row == nil || row[n-1] == "grows":
				require.Error(t, err, "%s, %d nodes", p.Name, n)
				assert.NotErrorIs(t, err, explore.ErrMemory, "%s, %d nodes", p.Name, n)
			case row[n-1] == "–":
				assert.ErrorIs(t, err, explore.ErrMemory, "%s, %d nodes", p.Name, n)
			default:
				require.NoError(t, err, "%s, %d nodes", p.Name, n)
				assert.Empty(t, r.Failures(), "%s, %d nodes", p.Name, n)
				assert.Equal(t, row[n-1], strconv.Itoa(r.States), "%s, %d nodes", p.Name, n)
			}
		}
	}
}
