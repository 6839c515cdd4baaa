package topology_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/topology"
)

type links = [][]messaging.ID

func TestShapes(t *testing.T) {
	assert.Equal(t, links{{1, 2}, {0, 2}, {0, 1}}, topology.Complete(3))
	assert.Equal(t, links{{1}, {2}, {3}, {0}}, topology.Ring(4))
	assert.Equal(t, links{{1}, {0, 2}, {1, 3}, {2}}, topology.Line(4))
	assert.Equal(t, links{{1, 2, 3}, {0}, {0}, {0}}, topology.Star(4))
	assert.Equal(t, links{{1, 2}, {0, 3, 4}, {0, 5}, {1}, {1}, {2}}, topology.Tree(6, 2))
	assert.Equal(t, topology.Line(5), topology.Tree(5, 1))
	assert.Equal(t, topology.Star(5), topology.Tree(5, 4))
	for n := 1; n < 40; n++ {
		for k := 1; k < 5; k++ {
			for _, l := range []links{topology.Complete(n), topology.Ring(n), topology.Line(n), topology.Star(n), topology.Tree(n, k)} {
				assert.Len(t, l, n)
				assert.NoError(t, topology.Check(l), "%v", l)
			}
		}
	}
}

func TestImpossible(t *testing.T) {
	for want, l := range map[string]links{
		"topology: it has no node":                                     {},
		"topology: node 1 has a link to node 2: the nodes are 0 to 1":  {{1}, {2}},
		"topology: node 0 has a link to node -1: the nodes are 0 to 1": {{-1}, {0}},
		"topology: node 1 has a link to itself":                        {{1}, {0, 1}},
		"topology: node 0 has two links to node 1":                     {{1, 1}, {0}},
		"topology: no path leads from node 0 to node 2":                {{1}, {0}, {0}},
		"topology: no path leads from node 2 to node 0":                {{1, 2}, {0}, {}},
	} {
		assert.EqualError(t, topology.Check(l), want)
	}
	assert.PanicsWithValue(t, "topology: Ring of 0 nodes: there must be at least 1", func() { topology.Ring(0) })
	assert.PanicsWithValue(t, "topology: Tree(3, 0): a node has at least one child", func() { topology.Tree(3, 0) })
}
