package raymond_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/internal/node/host"
	"example.org/doorway/internal/node/state"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/token/raymond"
	"example.org/doorway/messaging/topology"
)

func TestNoTree(t *testing.T) {
	assert.PanicsWithValue(t, "raymond: topology: it is not a tree: the link of nodes 1 and 2 closes a cycle", func() { raymond.New(topology.Complete(3)) })
	assert.PanicsWithValue(t, "messaging: node 0 is one of 3, but the topology is for 2 nodes",
		func() { raymond.New(topology.Line(2))(messaging.Start{Nodes: 3}) })
}

// A node keeps nothing about nodes other than its neighbors.
func TestStateOfANode(t *testing.T) {
	size := func(n int) int {
		return len(state.Append(nil, host.NewSite(raymond.New(topology.Line(n)), messaging.Start{Self: 1, Nodes: n}, nil).Node()))
	}
	assert.Equal(t, size(3), size(10_000))
}
