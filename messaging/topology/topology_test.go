package topology_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/topology"
)

type graph = topology.Graph

func TestShapes(t *testing.T) {
	assert.Equal(t, graph{{1, 2}, {0, 2}, {0, 1}}, topology.Complete(3))
	assert.Equal(t, graph{{1}, {2}, {3}, {0}}, topology.Ring(4))
	assert.Equal(t, graph{{1}, {0, 2}, {1, 3}, {2}}, topology.Line(4))
	assert.Equal(t, graph{{1, 2, 3}, {0}, {0}, {0}}, topology.Star(4))
	assert.Equal(t, graph{{1, 2}, {0, 3, 4}, {0, 5}, {1}, {1}, {2}}, topology.Tree(6, 2))
	assert.Equal(t, graph{{1, 3}, {0, 2, 4}, {1, 5}, {0, 4}, {1, 3, 5}, {2, 4}}, topology.Grid(2, 3))
	assert.Equal(t, topology.Line(5), topology.Tree(5, 1))
	assert.Equal(t, topology.Star(5), topology.Tree(5, 4))
	assert.Equal(t, topology.Line(5), topology.Grid(1, 5))
	assert.Equal(t, topology.Complete(6), topology.Random(6, 15, 3))
	for n := 1; n < 40; n++ {
		for k := 1; k < 5; k++ {
			for _, g := range []graph{topology.Line(n), topology.Star(n), topology.Tree(n, k), topology.Random(n, n-1, uint64(k))} {
				assert.NoError(t, g.CheckTree(), "%v", g)
			}
			for _, g := range []graph{topology.Complete(n), topology.Grid(n, k), topology.Random(n, n-1+(n-1)*(n-2)/2/k, uint64(k))} {
				assert.NoError(t, g.CheckUndirected(), "%v", g)
			}
			assert.NoError(t, topology.Ring(n).Check())
		}
	}
}

// A random graph has the links that were asked for, and the seed determines them.
func TestRandom(t *testing.T) {
	different := map[string]bool{}
	for seed := range uint64(20) {
		g, links := topology.Random(10, 17, seed), 0
		for _, of := range g {
			links += len(of)
		}
		assert.Equal(t, 2*17, links)
		assert.Equal(t, g, topology.Random(10, 17, seed))
		different[fmt.Sprint(g)] = true
	}
	assert.Len(t, different, 20)
}

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
		assert.EqualError(t, g.Check(), want)
		assert.EqualError(t, g.CheckTree(), want)
	}
	assert.NoError(t, graph{{2, 1}, {0}, {0}}.CheckTree(), "in any order")
	assert.EqualError(t, topology.Ring(3).CheckUndirected(), "topology: node 0 has a link to node 1, which has none to node 0: links lead in both directions")
	for want, g := range map[string]graph{
		"topology: it is not a tree: nodes [1 0 2] form a cycle":       topology.Complete(3),
		"topology: it is not a tree: nodes [3 0 1 4] form a cycle":     topology.Grid(2, 3),
		"topology: it is not a tree: nodes [2 1 3] form a cycle":       {{1}, {0, 2, 3}, {1, 3}, {1, 2}},
		"topology: it is not a tree: nodes [3 2 1 0 5 4] form a cycle": {{1, 5}, {0, 2}, {1, 3}, {2, 4}, {3, 5}, {0, 4}},
		"topology: it is not a tree: nodes [2 1 0 4 3] form a cycle":   {{1, 4}, {0, 2}, {1, 3}, {2, 4}, {0, 3}},
		"topology: it is not a tree: nodes [3 2 1 4 5] form a cycle":   {{1}, {0, 2, 4}, {1, 3}, {2, 5}, {1, 5}, {3, 4}},
	} {
		assert.EqualError(t, g.CheckTree(), want)
	}
	for want, make := range map[string]func(){
		"topology: Ring of 0 nodes: there must be at least 1":               func() { topology.Ring(0) },
		"topology: Tree(3, 0): a node has at least one child":               func() { topology.Tree(3, 0) },
		"topology: Grid(0, 3): there is at least one row and one column":    func() { topology.Grid(0, 3) },
		"topology: Random(4, 2): the number of linked pairs must be 3 to 6": func() { topology.Random(4, 2, 0) },
		"topology: Random(4, 7): the number of linked pairs must be 3 to 6": func() { topology.Random(4, 7, 0) },
		"topology: Random of 0 nodes: there must be at least 1":             func() { topology.Random(0, 0, 0) },
	} {
		assert.PanicsWithValue(t, want, make)
	}
}

// Distances agree with the formulas of the lectures.
func TestDistances(t *testing.T) {
	for n := 2; n < 30; n++ {
		size := float64(n)
		of := func(name string, g graph, diameter, mean float64) {
			d, m := g.Distances()
			assert.InDeltaSlice(t, []float64{diameter, mean}, []float64{float64(d), m}, 1e-9, "%s of %d nodes", name, n)
		}
		of("line", topology.Line(n), size-1, (size+1)/3)
		of("ring", topology.Ring(n), size-1, size/2)
		of("complete graph", topology.Complete(n), 1, 1)
		of("star", topology.Star(n), min(2, size-1), 2*(size-1)/size)
	}
	diameter, mean := topology.Ring(1).Distances()
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
		routes, most, sum := g.Router(), 0, 0
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
		diameter, mean := g.Distances()
		assert.Equal(t, most, diameter, "%v", g)
		assert.InDelta(t, float64(sum)/float64(n*(n-1)), mean, 1e-9, "%v", g)
	}
}

// Trees of a hundred thousand nodes take no time in the square of that.
func TestLarge(t *testing.T) {
	g := topology.Tree(100_000, 2)
	require.NoError(t, g.CheckTree())
	diameter, mean := g.Distances()
	assert.Equal(t, 32, diameter)
	assert.InDelta(t, 27.18, mean, 0.01)
}
