// Package topology has the usual networks of nodes, for algorithms that send only to
// neighbors. [messaging.On] puts an algorithm on one:
//
//	c := cluster.New(5, messaging.On(topology.Ring(5), a))
//
// Algorithms that need a tree, or any network, take a [Graph].
package topology

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"example.org/doorway/messaging"
)

// A Graph is a network: it has for each node those to which the node has links. A link
// leads one way; the graphs of this package, except Ring, have each link in both
// directions, and list the links of a node in ascending order. A graph may be written
// down, topology.Graph{{1}, {0, 2}, {1}}; the algorithm that is given it refuses what is wrong with it.
type Graph [][]messaging.ID

// Complete returns the graph in which every node has links to all others. It panics if
// n < 1, as all constructors do.
func Complete(n int) Graph {
	g := empty("Complete", n)
	for i := range g {
		g[i] = slices.Grow(g[i], n-1)
		for j := range n {
			if j != i {
				g[i] = append(g[i], messaging.ID(j))
			}
		}
	}
	return g
}

// Ring returns the unidirectional ring: node i has a link to node i+1, and the last to
// node 0. A ring of one node has no link.
func Ring(n int) Graph {
	g := empty("Ring", n)
	if n > 1 {
		for i := range g {
			g[i] = []messaging.ID{messaging.ID((i + 1) % n)}
		}
	}
	return g
}

// Line returns the line: node i has links to nodes i-1 and i+1.
func Line(n int) Graph { return empty("Line", n).grow(func(i int) int { return i - 1 }) }

// Star returns the star: node 0 has links to all others, and they to it.
func Star(n int) Graph { return empty("Star", n).grow(func(int) int { return 0 }) }

// Tree returns the tree in which node i > 0 is a child of node (i-1)/k, so that each node
// has at most k children. It panics if k < 1.
func Tree(n, k int) Graph {
	if k < 1 {
		panic(fmt.Sprintf("topology: Tree(%d, %d): a node has at least one child", n, k))
	}
	return empty("Tree", n).grow(func(i int) int { return (i - 1) / k })
}

// Grid returns the rows by columns grid: node row*columns + column has links to those
// above, below, left and right of it.
func Grid(rows, columns int) Graph {
	if rows < 1 || columns < 1 {
		panic(fmt.Sprintf("topology: Grid(%d, %d): there is at least one row and one column", rows, columns))
	}
	if rows > math.MaxInt/columns {
		panic(fmt.Sprintf("topology: Grid(%d, %d): there are too many nodes", rows, columns))
	}
	g := make(Graph, rows*columns)
	for i := range g {
		if i%columns > 0 {
			g.join(i, i-1)
		}
		if i >= columns {
			g.join(i, i-columns)
		}
	}
	return g.sorted()
}

// Random returns a connected graph with that number of pairs of nodes that have a link,
// drawn from the seed: a random tree, and then pairs that have none. Node 0 and each
// further node of the tree are joined in a random order, each to one that is drawn from
// those before it. Random panics unless n-1 <= pairs <= n(n-1)/2.
func Random(n, pairs int, seed uint64) Graph {
	if pairs < n-1 || pairs > n*(n-1)/2 {
		panic(fmt.Sprintf("topology: Random(%d, %d): the number of linked pairs must be %d to %d", n, pairs, n-1, n*(n-1)/2))
	}
	dice := rand.New(rand.NewPCG(seed, 0))
	g, order := empty("Random", n), dice.Perm(n)
	has := map[[2]int]bool{}
	add := func(i, j int) {
		g.join(i, j)
		has[[2]int{min(i, j), max(i, j)}] = true
	}
	for k := 1; k < n; k++ {
		add(order[k], order[dice.IntN(k)])
	}
	for len(has) < pairs {
		if i, j := dice.IntN(n), dice.IntN(n); i != j && !has[[2]int{min(i, j), max(i, j)}] {
			add(i, j)
		}
	}
	return g.sorted()
}

func empty(name string, n int) Graph {
	if n < 1 {
		panic(fmt.Sprintf("topology: %s of %d nodes: there must be at least 1", name, n))
	}
	return make(Graph, n)
}

// grow makes g a tree in which each node but 0 has a parent with a smaller number.
func (g Graph) grow(parent func(i int) int) Graph {
	for i := 1; i < len(g); i++ {
		g.join(i, parent(i))
	}
	return g.sorted()
}

func (g Graph) join(i, j int) {
	g[i] = append(g[i], messaging.ID(j))
	g[j] = append(g[j], messaging.ID(i))
}

func (g Graph) sorted() Graph {
	for _, links := range g {
		slices.Sort(links)
	}
	return g
}
