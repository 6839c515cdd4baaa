package paths_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/node/paths"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/topology"
)

type graph = topology.Graph

func TestImpossible(t *testing.T) {
	for want, g := range map[string]graph{
		"topology: the graph has no node":                              {},
		"topology: node 1 has a link to node 2: the nodes are 0 to 1":  {{1}, {2}},
		"topology: node 0 has a link to node -1: the nodes are 0 to 1": {{-1}, {0}},
		"topology: node 1 has a link to itself":                        {{1}, {0, 1}},
		"topology: node 0 has two links to node 1":                     {{1, 1}, {0}},
		"topology: no path leads from node 0 to node 2":                {{1}, {0}, {0}},
		"topology: no path leads from node 2 to node 0":                {{1, 2}, {0}, {}},
	} {
		assert.EqualError(t, paths.Check(g), want)
		assert.EqualError(t, paths.CheckTree(g), want)
	}
	assert.NoError(t, paths.CheckTree(graph{{2, 1}, {0}, {0}}), "in any order")
	assert.EqualError(t, paths.CheckUndirected(topology.Ring(3)), "topology: node 0 has a link to node 1, which has none to node 0: links lead in both directions")
	for want, g := range map[string]graph{
		"topology: it is not a tree: the link of nodes 1 and 2 closes a cycle": topology.Complete(3),
		"topology: it is not a tree: the link of nodes 3 and 4 closes a cycle": topology.Grid(2, 3),
		"topology: it is not a tree: the link of nodes 2 and 3 closes a cycle": {{1}, {0, 2, 3}, {1, 3}, {1, 2}},
		"topology: it is not a tree: the link of nodes 3 and 5 closes a cycle": {{1}, {0, 2, 4}, {1, 3}, {2, 5}, {1, 5}, {3, 4}},
	} {
		assert.EqualError(t, paths.CheckTree(g), want)
	}
}

// Distances agree with the formulas of the lectures.
func TestDistances(t *testing.T) {
	for n := 2; n < 30; n++ {
		size := float64(n)
		of := func(name string, g graph, diameter, mean float64) {
			d, m := paths.Distances(g)
			assert.InDeltaSlice(t, []float64{diameter, mean}, []float64{float64(d), m}, 1e-9, "%s of %d nodes", name, n)
		}
		of("line", topology.Line(n), size-1, (size+1)/3)
		of("ring", topology.Ring(n), size-1, size/2)
		of("complete graph", topology.Complete(n), 1, 1)
		of("star", topology.Star(n), min(2, size-1), 2*(size-1)/size)
	}
	diameter, mean := paths.Distances(topology.Ring(1))
	assert.Zero(t, diameter)
	assert.Zero(t, mean)
}

// Each route leads along links, one nearer with each, and Distances are those of all routes.
func TestRoutes(t *testing.T) {
	for seed := range uint64(60) {
		n := int(seed%20) + 2
		g := topology.Random(n, n-1+int(seed%3)*(n-1)*(n-2)/8, seed)
		if seed%5 == 4 {
			g = topology.Ring(n)
		}
		routes, most, sum := paths.Router(g), 0, 0
		for to := range messaging.ID(n) {
			r := routes(to)
			require.Equal(t, to, r.To)
			assert.Equal(t, to, r.Next[to])
			assert.Zero(t, r.Distance[to])
			for i := range messaging.ID(n) {
				if i != to {
					assert.Contains(t, g[i], r.Next[i])
					assert.Equal(t, r.Distance[i]-1, r.Distance[r.Next[i]])
				}
				for _, j := range g[i] {
					assert.LessOrEqual(t, r.Distance[i], r.Distance[j]+1, "a shorter route from %d to %d", i, to)
				}
				most, sum = max(most, r.Distance[i]), sum+r.Distance[i]
			}
		}
		diameter, mean := paths.Distances(g)
		assert.Equal(t, most, diameter, "%v", g)
		assert.InDelta(t, float64(sum)/float64(n*(n-1)), mean, 1e-9, "%v", g)
	}
}

// Trees of a hundred thousand nodes take no time in the square of that.
func TestLarge(t *testing.T) {
	g := topology.Tree(100_000, 2)
	require.NoError(t, paths.CheckTree(g))
	diameter, mean := paths.Distances(g)
	assert.Equal(t, 32, diameter)
	assert.InDelta(t, 27.18, mean, 0.01)
}
