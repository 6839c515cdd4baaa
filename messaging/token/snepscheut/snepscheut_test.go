package snepscheut_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/nodetest"
	"example.org/doorway/messaging/token/snepscheut"
	"example.org/doorway/messaging/topology"
)

// ring is a ring with links in both directions.
func ring(n int) topology.Graph {
	g := make(topology.Graph, n)
	for i := range g {
		g[i] = []messaging.ID{messaging.ID((i + n - 1) % n), messaging.ID((i + 1) % n)}
	}
	return g
}

var graphs = map[string]topology.Graph{
	"one node": topology.Complete(1),
	"line":     topology.Line(4),
	"triangle": topology.Complete(3),
	"ring":     ring(6),
	"K5":       topology.Complete(5),
	"3x3 grid": topology.Grid(3, 3),
	"tree":     topology.Tree(7, 2),
	"random":   topology.Random(8, 14, 1),
}

// The same in every schedule of a ring, and of a complete graph.
func TestExplored(t *testing.T) {
	for _, c := range []struct {
		g        topology.Graph
		requests []int
		withdraw int
	}{
		{ring(4), []int{0, 1, tier.Pick(0, 1), 1}, 1},
		{ring(5), []int{0, 1, 0, tier.Pick(0, 1), 1}, 0},
		{topology.Complete(4), []int{1, 1, tier.Pick(0, 1), 0}, 1},
	} {
		for _, unordered := range []bool{false, true} {
			r, err := explore.CheckNodes(explore.NodesConfig{
				New: snepscheut.New(c.g), Nodes: len(c.g), Requests: c.requests, Withdrawals: c.withdraw, Unordered: unordered, Invariant: snepscheut.Protocol.Invariant,
			})
			require.NoError(t, err)
			assert.Empty(t, r.Failures())
			t.Logf("%v: %v", c.requests, r)
		}
	}
}

// A graph that cannot serve is refused, with the reason.
func TestNew(t *testing.T) {
	for want, g := range map[string]topology.Graph{
		"snepscheut: topology: node 0 has a link to node 1, which has none to node 0: links lead in both directions": topology.Ring(3),
	} {
		assert.PanicsWithValue(t, want, func() { snepscheut.New(g) })
	}
	given := topology.Line(3)
	a := snepscheut.New(given)
	given[0] = nil
	assert.NoError(t, nodetest.Run(a, nodetest.Config{Nodes: 3}), "the algorithm changes with the graph that it was given")
}

func TestGraph(t *testing.T) {
	assert.Equal(t, topology.Grid(3, 4), snepscheut.Graph(12))
	assert.Equal(t, topology.Grid(2, 11), snepscheut.Graph(22))
	for n := 1; n < 60; n++ {
		assert.NoError(t, snepscheut.Graph(n).CheckUndirected(), "%d nodes", n)
		assert.Equal(t, snepscheut.Graph(n), snepscheut.Graph(n), "%d nodes", n)
	}
}
