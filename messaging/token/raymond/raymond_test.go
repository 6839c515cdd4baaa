package raymond_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/state"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/nodetest"
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

func TestSchedules(t *testing.T) {
	for seed := range tier.Pick[uint64](200, 2000) {
		nodes := int(seed%8) + 1
		c := nodetest.Config{
			Nodes: nodes, Holder: messaging.ID(rand.New(rand.NewPCG(seed, 1)).IntN(nodes)),
			Seed: seed, Unordered: seed%2 == 0, Withdraw: float64(seed%3) / 4,
		}
		for name, tree := range trees(nodes, seed) {
			for _, a := range []messaging.Algorithm{
				raymond.New(tree), raymond.NewGreedy(tree, int(seed%4)), raymond.NewLift(tree, int(seed%4)), raymond.NewMerged(tree),
			} {
				if err := nodetest.Run(a, c); err != nil {
					t.Fatal(name, err)
				}
			}
		}
	}
}

func TestNoTree(t *testing.T) {
	for want, g := range map[string]topology.Graph{
		"raymond: topology: the graph has no node":                                                                {},
		"raymond: topology: no path leads from node 0 to node 2":                                                  {{1}, {0}, {}},
		"raymond: topology: it is not a tree: nodes [1 0 2] form a cycle":                                         topology.Complete(3),
		"raymond: topology: node 0 has a link to node 1, which has none to node 0: links lead in both directions": topology.Ring(3),
		"raymond: topology: node 1 has a link to itself":                                                          {{1}, {0, 1}},
	} {
		assert.PanicsWithValue(t, want, func() { raymond.New(g) })
	}
	want := "messaging: node 0 is one of 3, but the topology is for 2 nodes"
	assert.PanicsWithValue(t, want, func() { raymond.New(topology.Line(2))(messaging.Start{Nodes: 3}) })
}

// Impossible messages are refused, and leave the node unchanged. Node 1 of the line of
// four nodes has asked node 0, where the token is, for itself and for node 2.
func TestRefuses(t *testing.T) {
	site := func() *messaging.Site {
		s := messaging.NewSite(raymond.New(topology.Line(4)), messaging.Start{Self: 1, Nodes: 4}, nil)
		s.Request()
		s.Receive(2, raymond.Request{})
		return s
	}
	for _, c := range []struct {
		from messaging.ID
		m    messaging.Message
		why  string
	}{
		{0, "enter", "it is not a message of this algorithm"},
		{1, raymond.Request{}, "it is not a neighbor"},
		{3, raymond.Request{}, "it is not a neighbor"},
		{2, raymond.Request{}, "it has asked already"},
		{1, raymond.Token{}, "it is not a neighbor"},
		{2, raymond.Token{}, "this node has not asked it"},
	} {
		refused(t, site(), c.from, c.m, c.why)
	}

	idle := messaging.NewSite(raymond.New(topology.Line(4)), messaging.Start{Self: 1, Nodes: 4}, nil)
	refused(t, idle, 0, raymond.Request{}, "the token is in its direction, and was not sent for")
	refused(t, idle, 0, raymond.Token{}, "this node has not asked it")
}

func refused(t *testing.T, s *messaging.Site, from messaging.ID, m messaging.Message, why string) {
	t.Helper()
	before := state.Append(nil, s.Node())
	want := fmt.Sprintf("raymond: node 1 got %T %+v from node %d: %s", m, m, from, why)
	assert.PanicsWithError(t, want, func() { s.Receive(from, m) })
	assert.Equal(t, before, state.Append(nil, s.Node()), "%T of node %d has changed the node", m, from)
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

// The token stays where it is no longer wanted. The next request there takes no message.
func TestWithdrawn(t *testing.T) {
	s := messaging.NewSite(raymond.New(topology.Line(2)), messaging.Start{Self: 1, Nodes: 2}, nil)
	for range 2 { // the second request finds that the token was sent for
		s.Request()
		s.Withdraw()
	}
	assert.Equal(t, []messaging.Send{{To: 0, Message: raymond.Request{}}}, s.Sends)
	s.Done()
	s.Receive(0, raymond.Token{})
	s.Request()
	assert.Equal(t, messaging.Inside, s.Phase())
	assert.Empty(t, s.Sends)
}

func run(t *testing.T, c sim.Config) sim.Report {
	t.Helper()
	r, err := sim.Run(c)
	require.NoError(t, err, r)
	return r
}
