//go:build doorway_explore

package roucairolcarvalho_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/messaging/nodetest"
	"example.org/doorway/messaging/sim"
)

var naive, _ = catalog.FindProtocol("roucairolcarvalho/naive")

// The naive variant has two permissions before two nodes are inside.
func TestNaiveHasTwoPermissions(t *testing.T) {
	c := explore.NodesConfig{New: naive.New(2), Nodes: 2, Requests: []int{2, 1}, Withdrawals: 1}
	r, err := explore.CheckNodes(c)
	require.NoError(t, err)
	two := r.MutualExclusion.History
	require.NotNil(t, two)
	c.Invariant = naive.Declared.Invariant
	r, err = explore.CheckNodes(c)
	require.NoError(t, err)
	earlier := r.Invariant.History
	require.NotNil(t, earlier)
	assert.Equal(t, "the invariant is violated: there are 2 permissions between S1 and S2: each has that of the other, or will get it", earlier.Title)
	assert.Less(t, len(earlier.Events), len(two.Events), "%v\n%v", earlier, two)
}

// The naive variant fails with two nodes and FIFO links already, but only if
// requests are withdrawn.
func TestNaive(t *testing.T) {
	for _, unordered := range []bool{false, true} {
		c := nodetest.Config{Nodes: 2, Entries: 20, Unordered: unordered, Withdraw: 0.5}
		found := 0
		for c.Seed = range uint64(500) {
			switch err := nodetest.Run(naive.New(2), c); sim.Failure(err) {
			case "exclusion":
				found++
			case "fencing": // two are inside in another schedule
			default:
				require.NoError(t, err)
			}
		}
		assert.NotZero(t, found, "unordered %v: no two were ever inside", unordered)
		c.Withdraw = 0
		for c.Seed = range uint64(100) {
			if err := nodetest.Run(naive.New(2), c); err != nil {
				t.Fatal("without withdrawals:", err)
			}
		}
	}
}
