package firewire_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/election"
	"example.org/doorway/messaging/election/firewire"
	"example.org/doorway/messaging/topology"
)

// trees returns all trees of nodes 0 to n-1.
func trees(n int) (all []topology.Graph) {
	complete := topology.Complete(n)
	var pairs [][2]messaging.ID
	for i, of := range complete {
		for _, j := range of[i:] { // those above i
			pairs = append(pairs, [2]messaging.ID{messaging.ID(i), j})
		}
	}
	for links := range 1 << len(pairs) {
		g := make(topology.Graph, n)
		for k, p := range pairs {
			if links>>k&1 == 1 {
				g[p[0]], g[p[1]] = append(g[p[0]], p[1]), append(g[p[1]], p[0])
			}
		}
		if g.CheckTree() == nil {
			all = append(all, g)
		}
	}
	return all
}

// check explores an election that all nodes hold, each at any time.
func check(t *testing.T, a messaging.Algorithm, c explore.NodesConfig) *explore.NodesReport {
	t.Helper()
	c.New, c.Inputs = a, make([][]messaging.Message, c.Nodes)
	for i := range c.Inputs {
		c.Inputs[i] = []messaging.Message{election.Hold{}}
	}
	c.Invariant, c.Results = firewire.Protocol.Invariant, firewire.OneTree
	r, err := explore.CheckNodes(c)
	require.NoError(t, err)
	return r
}

// On all trees, whenever which node notices the bus reset, there is one root, and the parents
// lead to it; and requests cross on one link at most (HAW, slide 12).
func TestExplored(t *testing.T) {
	count := []int{1: 1, 2: 1, 3: 3, 4: 16, 5: 125} // n^(n-2)
	for n := 1; n <= tier.Pick(4, 5); n++ {
		all := trees(n)
		require.Len(t, all, count[n])
		for _, tree := range all {
			for _, unordered := range []bool{false, true} {
				for _, a := range []messaging.Algorithm{firewire.New(tree, 1, 2), firewire.NewByID(tree)} {
					r := check(t, a, explore.NodesConfig{Nodes: n, Unordered: unordered})
					require.Empty(t, r.Failures(), "%v", tree)
					require.Equal(t, explore.Holds, r.Results.Status)
					require.Equal(t, explore.Holds, r.Invariant.Status)
					require.Equal(t, explore.Holds, r.Quiescent.Status)
				}
			}
		}
	}
}

// If timers expire at any time, all that is right is right, but contention may go on forever:
// wherever there are two nodes, as [ExampleNew_forever] shows.
func TestExploredAnyTime(t *testing.T) {
	for n := 2; n <= tier.Pick(3, 5); n++ {
		for _, tree := range trees(n) {
			r := check(t, firewire.New(tree, 1, 2), explore.NodesConfig{Nodes: n, AnyTime: true, Unordered: true})
			require.Equal(t, explore.Holds, r.Results.Status, "%v", tree)
			require.Equal(t, explore.Holds, r.Invariant.Status, "%v", tree)
			require.Equal(t, explore.Fails, r.Quiescent.Status, "%v", tree)
		}
	}
}

// Without the rule of contention there are two roots.
func TestObliging(t *testing.T) {
	r := check(t, firewire.Obliging(firewire.New(topology.Line(2), 1, 2)), explore.NodesConfig{Nodes: 2})
	require.NotNil(t, r.Results.History)
	assert.Equal(t, "the results are wrong: nodes 0 and 1 are the root", r.Results.History.Title)
}
