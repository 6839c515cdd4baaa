package network

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/messaging/topology"
)

// All nodes are in the picture, and no two of them in the same place.
func TestLayout(t *testing.T) {
	for n := 1; n < 24; n++ {
		for name, g := range map[string]topology.Graph{
			"complete": topology.Complete(n), "ring": topology.Ring(n), "line": topology.Line(n), "star": topology.Star(n),
			"binary tree": topology.Tree(n, 2), "ternary tree": topology.Tree(n, 3), "grid": topology.Grid(n, 4),
			"random tree": topology.Random(n, n-1, uint64(n)), "random": topology.Random(n, n-1+(n-1)*(n-2)/4, uint64(n)),
		} {
			at := Layout(g)
			assert.Len(t, at, len(g))
			for i, p := range at {
				assert.True(t, p.X >= 0 && p.X <= 1 && p.Y >= 0 && p.Y <= 1, "%s of %d nodes: %v", name, n, p)
				for j := range i {
					assert.Greater(t, math.Hypot(p.X-at[j].X, p.Y-at[j].Y), 0.01, "%s of %d nodes: nodes %d and %d", name, n, i, j)
				}
			}
		}
	}
}

// Shapes are recognized by their links, whoever made them.
func TestShapesAreRecognized(t *testing.T) {
	for want, g := range map[string]topology.Graph{
		"[{0 0.5} {0.5 0.5} {1 0.5}]":                                {{1}, {0, 2}, {1}},
		"[{0 0} {1 0} {0 1} {1 1}]":                                  topology.Grid(2, 2),
		"[{0.5 0.5} {0.5 0} {0.93 0.75} {0.07 0.75}]":                topology.Star(4),
		"[{0.58 0} {0.33 0.5} {0.83 0.5} {0.17 1} {0.5 1} {0.83 1}]": topology.Tree(6, 2),
		"[{0.5 0} {0.93 0.75} {0.07 0.75}]":                          topology.Ring(3),
	} {
		rounded := Layout(g)
		for i, p := range rounded {
			rounded[i].X, rounded[i].Y = math.Round(100*p.X)/100, math.Round(100*p.Y)/100
		}
		assert.Equal(t, want, fmt.Sprint(rounded), "%v", g)
	}
}
