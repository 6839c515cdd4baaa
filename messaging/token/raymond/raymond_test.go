package raymond_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
	"example.org/doorway/messaging/token/raymond"
	"example.org/doorway/messaging/topology"
)

// trees returns a line, a star, two balanced trees and a random tree of n nodes.
func trees(n int, seed uint64) map[string]topology.Graph {
	return map[string]topology.Graph{
		"line": topology.Line(n), "star": topology.Star(n), "binary": topology.Tree(n, 2), "ternary": topology.Tree(n, 3),
		"random": topology.Random(n, n-1, seed),
	}
}

// A Request that overtakes the Token is queued: the receiver has asked for the token, and
// passes it on to itself first.
func TestRequestOvertakesToken(t *testing.T) {
	s := messaging.NewSite(raymond.New(topology.Line(2)), messaging.Start{Self: 1, Nodes: 2}, nil)
	s.Request()
	s.Done()
	s.Receive(0, raymond.Request{})
	assert.Empty(t, s.Sends, "the token is on its way here")
	s.Receive(0, raymond.Token{})
	assert.Equal(t, messaging.Inside, s.Phase())
	s.Release()
	assert.Equal(t, []messaging.Send{{To: 0, Message: raymond.Token{}}}, s.Sends)
}

func run(t *testing.T, c sim.Config) sim.Report {
	t.Helper()
	r, err := sim.Run(c)
	require.NoError(t, err, r)
	return r
}

func TestNoTree(t *testing.T) {
	assert.PanicsWithValue(t, "raymond: topology: it is not a tree: nodes [1 0 2] form a cycle", func() { raymond.New(topology.Complete(3)) })
	assert.PanicsWithValue(t, "messaging: node 0 is one of 3, but the topology is for 2 nodes",
		func() { raymond.New(topology.Line(2))(messaging.Start{Nodes: 3}) })
}
