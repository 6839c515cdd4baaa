package ricartagrawala1983_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
	"example.org/doorway/messaging/token/ricartagrawala1983"
)

// Requests may arrive twice: those that are served have no effect.
func TestRepeatedRequests(t *testing.T) {
	for seed := range tier.Pick[uint64](50, 500) {
		r, err := sim.Run(sim.Config{
			Algorithm: ricartagrawala1983.New, Nodes: 5, Seed: seed, Load: sim.HighLoad{Think: sim.Uniform(0, 10*sim.T)}, Entries: 60,
			Latency: sim.Exponential(sim.T), Unordered: true,
			Except: []sim.Exception{{Kind: "REQUEST", Double: true, Latency: sim.Uniform(0, 40*sim.T)}},
		})
		require.NoError(t, err)
		assert.Equal(t, 60, r.Entries)
		assert.Equal(t, 4*r.Kinds["TOKEN"], r.Kinds["REQUEST"], "a token for each request")
	}
}

// The nodes that wait enter in cyclic order, in whatever order they have asked: the token
// that leaves node 2 does not come to node 1 before it has been at 3, 4 and 0.
func TestOrder(t *testing.T) {
	r, err := sim.Run(sim.Config{
		Algorithm: ricartagrawala1983.New, Nodes: 5, Holder: 2, Stay: sim.Constant(10 * sim.T), Order: true,
		Load: sim.Script{{Node: 2}, {Node: 1, At: sim.T}, {Node: 4, At: 2 * sim.T}, {Node: 0, At: 3 * sim.T}, {Node: 3, At: 4 * sim.T}},
	})
	require.NoError(t, err)
	var order []messaging.ID
	for _, v := range r.Order {
		order = append(order, v.Node)
	}
	assert.Equal(t, []messaging.ID{2, 3, 4, 0, 1}, order)
}

// Under high load every node enters once in each round.
func TestRounds(t *testing.T) {
	const nodes = 7
	r, err := sim.Run(sim.Config{Algorithm: ricartagrawala1983.New, Nodes: nodes, Load: sim.HighLoad{}, Entries: 10 * nodes, Order: true})
	require.NoError(t, err)
	for k, v := range r.Order {
		assert.Equal(t, messaging.ID(k%nodes), v.Node, "entry %d", k)
	}
}
