package topology_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/internal/node/paths"
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
				assert.NoError(t, paths.CheckTree(g), "%v", g)
			}
			for _, g := range []graph{topology.Complete(n), topology.Grid(n, k), topology.Random(n, n-1+(n-1)*(n-2)/2/k, uint64(k))} {
				assert.NoError(t, paths.CheckUndirected(g), "%v", g)
			}
			assert.NoError(t, paths.Check(topology.Ring(n)))
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
