package naimitrehel_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/internal/state"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/nodetest"
	"example.org/doorway/messaging/token/naimitrehel"
)

const none = naimitrehel.None

// path is the tree in which node i has the father i+1, and the last node the token.
func path(n int) []messaging.ID {
	fathers := make([]messaging.ID, n)
	for i := range fathers {
		fathers[i] = messaging.ID(i + 1)
	}
	fathers[n-1] = none
	return fathers
}

func TestSchedules(t *testing.T) {
	for seed := range tier.Pick[uint64](300, 1000) {
		for nodes := 1; nodes <= 6; nodes++ {
			c := nodetest.Config{
				Nodes: nodes, Seed: seed, Unordered: seed%2 == 0, Withdraw: float64(seed%3) / 4,
				Invariant: naimitrehel.Protocol.Invariant,
			}
			for _, a := range []messaging.Algorithm{naimitrehel.New, naimitrehel.NewTree(path(nodes))} {
				if err := nodetest.Run(a, c); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// A tree is one root, and paths to it.
func TestNewTree(t *testing.T) {
	for want, fathers := range map[string][]messaging.ID{
		"naimitrehel: the tree has no node":                                                         {},
		"naimitrehel: nodes 0 and 2 have no father: there would be two tokens":                      {none, 0, none},
		"naimitrehel: every node has a father: there would be no token":                             {1, 2, 0},
		"naimitrehel: node 1 has the father 3: the nodes are 0 to 2, and no father is None":         {none, 3, 0},
		"naimitrehel: node 1 has the father -2: the nodes are 0 to 2, and no father is None":        {none, -2, 0},
		"naimitrehel: nodes [2 3 4] are on a cycle: their requests would never arrive at the token": {none, 2, 3, 4, 2},
		"naimitrehel: node 4 has itself as its father: its request would never arrive at the token": {none, 0, 1, 2, 4},
		"naimitrehel: nodes [3 1] are on a cycle: their requests would never arrive at the token":   {3, 3, none, 1},
	} {
		assert.PanicsWithValue(t, want, func() { naimitrehel.NewTree(fathers) })
	}
	for _, fathers := range [][]messaging.ID{{none}, {1, none}, {none, 0, 1, 1, 3, 0}, path(100)} {
		assert.NotPanics(t, func() { naimitrehel.NewTree(fathers) }, "%v", fathers)
	}
	assert.PanicsWithValue(t, "naimitrehel: node 1 is one of 2, but the tree has 3 nodes", func() {
		naimitrehel.NewTree(path(3))(messaging.Start{Self: 1, Nodes: 2})
	})
	given := path(2)
	a := naimitrehel.NewTree(given)
	given[0] = none
	assert.NoError(t, nodetest.Run(a, nodetest.Config{Nodes: 2}), "the tree changes with the slice that it was given")
}

// Impossible messages are rejected, and leave the node unchanged.
func TestRefuses(t *testing.T) {
	request := func(origin messaging.ID) messaging.Message { return naimitrehel.Request{Origin: origin} }
	for _, c := range []struct {
		what string
		from messaging.ID
		m    messaging.Message
		why  string
	}{
		{"idle", 1, naimitrehel.Token{}, "it does not wait for the token"},
		{"inside", 1, naimitrehel.Token{}, "it does not wait for the token"},
		{"waiting", 0, naimitrehel.Token{}, "a node sends nothing to itself"},
		{"idle", 1, request(0), "the request is its own"},
		{"idle", 1, request(3), "there is no such node"},
		{"idle", 1, request(-1), "there is no such node"},
		{"idle", 0, request(1), "a node sends nothing to itself"},
		{"waiting", 2, request(1), "that node waits for the token already"},
		{"idle", 1, "no message", "it is not a message of this algorithm"},
	} {
		start := messaging.Start{Nodes: 3}
		if c.what == "waiting" {
			start.Holder = 1
		}
		site := messaging.NewSite(naimitrehel.New, start, nil)
		if c.what != "idle" {
			site.Request()
			site.Receive(1, request(1)) // is Next
		}
		before := state.Append(nil, site.Node())
		want := fmt.Sprintf("naimitrehel: node 0 got %T %+v from node %d: %s", c.m, c.m, c.from, c.why)
		assert.PanicsWithError(t, want, func() { site.Receive(c.from, c.m) }, c.what)
		assert.Equal(t, before, state.Append(nil, site.Node()), "%s: %T%+v has changed the node", c.what, c.m, c.m)
	}
}
