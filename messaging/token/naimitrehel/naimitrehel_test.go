package naimitrehel_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/internal/node/state"
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

// Nodes keep nothing for each other node.
func TestStateOfANode(t *testing.T) {
	size := func(n int) int { return len(state.Append(nil, naimitrehel.New(messaging.Start{Self: 1, Nodes: n}))) }
	assert.Equal(t, size(2), size(100_000))
}
