package snepscheut_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/internal/node/paths"
	"example.org/doorway/messaging/nodetest"
	"example.org/doorway/messaging/token/snepscheut"
	"example.org/doorway/messaging/topology"
)

// A graph that cannot serve is refused, with the reason.
func TestNew(t *testing.T) {
	assert.PanicsWithValue(t, "snepscheut: topology: node 0 has a link to node 1, which has none to node 0: links lead in both directions",
		func() { snepscheut.New(topology.Ring(3)) })
	given := topology.Line(3)
	a := snepscheut.New(given)
	given[0] = nil
	assert.NoError(t, nodetest.Run(a, nodetest.Config{Nodes: 3}), "the algorithm changes with the graph that it was given")
}

func TestGraph(t *testing.T) {
	assert.Equal(t, topology.Grid(3, 4), snepscheut.Graph(12))
	assert.Equal(t, topology.Grid(2, 11), snepscheut.Graph(22))
	for n := 1; n < 60; n++ {
		assert.NoError(t, paths.CheckUndirected(snepscheut.Graph(n)), "%d nodes", n)
		assert.Equal(t, snepscheut.Graph(n), snepscheut.Graph(n), "%d nodes", n)
	}
}
