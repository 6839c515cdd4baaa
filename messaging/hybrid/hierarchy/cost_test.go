package hierarchy

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/central"
	"example.org/doorway/messaging/permission/ricartagrawala"
	"example.org/doorway/messaging/sim"
)

// three clusters of four nodes, with a coordinator in each.
func three(t *testing.T, handovers int) messaging.Algorithm {
	t.Helper()
	clusters := [][]messaging.ID{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}}
	a, err := New(clusters, central.Protocol, ricartagrawala.Protocol, handovers)
	require.NoError(t, err)
	return a
}

// At low load, a request costs what both levels cost, and four messages more if its node is
// no representative.
func TestLowLoad(t *testing.T) {
	const within, between, among = 3, 4, 2 * 2
	for node := range messaging.ID(12) {
		r, err := sim.Run(sim.Config{Algorithm: three(t, 3), Nodes: 12, Load: sim.LowLoad{Users: []messaging.ID{node}}, Entries: 5})
		require.NoError(t, err)
		want := within + between + among
		if node%4 == 0 {
			want = among
		}
		assert.Equal(t, 5*want, r.Messages, "node %d", node)
	}
}

// At high load the clusters take turns. In its turn a cluster enters once, and once more
// for each hand-over, so that the messages among the clusters are shared.
func TestHandovers(t *testing.T) {
	for _, handovers := range []int{0, 1, 3, 10} {
		r, err := sim.Run(sim.Config{Algorithm: three(t, handovers), Nodes: 12, Load: sim.HighLoad{}, Entries: 3 * 12 * 11, Order: true})
		require.NoError(t, err)
		turn, turns, longest, members := 0, 1, 0, 0
		for k, visit := range r.Order {
			if k > 0 && r.Order[k-1].Node/4 != visit.Node/4 {
				turn, turns = 0, turns+1
			}
			turn++
			if visit.Node%4 != 0 {
				members++
			}
			longest = max(longest, turn)
		}
		assert.Equal(t, handovers+1, longest, "entries in a turn, with %d hand-overs", handovers)
		assert.Equal(t, 7*members+4*turns, r.Messages, "messages of %d entries in %d turns", r.Entries, turns)
		assert.InDelta(t, 1.0/float64(handovers+1), float64(turns)/float64(r.Entries), 0.01, "turns for each entry, with %d hand-overs", handovers)
	}
}
