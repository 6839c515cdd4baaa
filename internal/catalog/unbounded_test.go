package catalog_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/docs/page"
	"example.org/doorway/internal/tier"
)

// unboundedTable is the table of docs/checker.md, which is not read where it takes long to see
// that it is right.
const unboundedTable = "testdata/unbounded.txt"

func TestUnboundedPage(t *testing.T) {
	table := page.Read(t, unboundedTable)
	page.Generated(t, "../../docs/checker.md", "unbounded", "go generate ./internal/catalog", table)
}

// unbounded compares the states of a protocol that has finitely many for any number of requests
// with the table; others are refused, and do not run until memory is full.
func unbounded(t *testing.T, p catalog.Protocol) {
	table := strings.ReplaceAll(page.Read(t, unboundedTable), ",", "")
	row := regexp.MustCompile(`\n\| ` + p.Name + ` \| (\d+) \| (\d+|–|grows) \|\n`).FindStringSubmatch(table)
	if !tier.Full {
		if row == nil {
			t.Skip("its states grow")
		}
		if states, _ := strconv.Atoi(row[1]); states > 20 {
			t.Skip("it has too many states for a quick test")
		}
	}
	for n := 2; n <= tier.Pick(2, 3); n++ {
		r, err := explore.CheckNodes(explore.NodesConfig{
			New: p.New(n), Nodes: n, Rounds: explore.Unbounded, Perpetual: p.Perpetual, Invariant: p.Invariant, Memory: 100 << 20,
		})
		switch {
		case row == nil || row[n-1] == "grows":
			require.Error(t, err, "%d nodes", n)
			assert.NotErrorIs(t, err, explore.ErrMemory, "%d nodes", n)
		case row[n-1] == "–":
			assert.ErrorIs(t, err, explore.ErrMemory, "%d nodes", n)
		default:
			require.NoError(t, err, "%d nodes", n)
			assert.NoError(t, r.Err(), "%d nodes", n)
			assert.Equal(t, row[n-1], strconv.Itoa(r.States), "%d nodes", n)
		}
	}
}
