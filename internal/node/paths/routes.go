package paths

import (
	"slices"
	"sync"

	"example.org/doorway/messaging"
)

// Routes are the shortest paths to one node, To. If the graph is a tree, each is the only
// path.
type Routes struct {
	To       messaging.ID
	Next     []messaging.ID // by node, the neighbor that is next on the way: of several, the smallest; of To, To itself
	Distance []int          // by node, the number of links on the way
}

// Router returns a function that returns the routes to a node: those of a node's
// configuration, such as where the token is at first. It keeps the routes that it
// returned last, since all nodes of a run ask for the same ones, and it is safe for
// concurrent use. Routes are only to be read. The graph must be as [Check] demands.
func Router(g [][]messaging.ID) func(to messaging.ID) Routes {
	var (
		mu   sync.Mutex
		last Routes
	)
	return func(to messaging.ID) Routes {
		mu.Lock()
		defer mu.Unlock()
		if last.Next == nil || last.To != to {
			last = routes(g, to)
		}
		return last
	}
}

func routes(g [][]messaging.ID, to messaging.ID) Routes {
	order, distance := from(reversed(g), to)
	next := make([]messaging.ID, len(g))
	for _, i := range order {
		next[i] = i // of To
		for _, j := range g[i] {
			if distance[j] == distance[i]-1 && (next[i] == i || j < next[i]) {
				next[i] = j
			}
		}
	}
	return Routes{to, next, distance}
}

// Distances returns the largest distance of two nodes, the diameter, and the mean distance
// over all pairs of different nodes; both are 0 if there is one node. The graph must be as
// [Check] demands. It takes time in proportion to the nodes times the links; of a tree,
// to the nodes.
func Distances(g [][]messaging.ID) (diameter int, mean float64) {
	n := len(g)
	if n < 2 {
		return 0, 0
	}
	var sum int64
	if CheckTree(g) == nil {
		diameter, sum = ofTree(g)
	} else {
		for i := range g {
			_, distance := from(g, messaging.ID(i))
			for _, d := range distance {
				diameter, sum = max(diameter, d), sum+int64(d)
			}
		}
	}
	return diameter, float64(sum) / float64(n) / float64(n-1)
}

// ofTree returns the largest distance and the sum of the distances of all pairs.
func ofTree(g [][]messaging.ID) (diameter int, sum int64) {
	order, _ := from(g, 0)
	_, distance := from(g, order[len(order)-1]) // the farthest node of any is one end of a longest path
	diameter = slices.Max(distance)
	size, to := make([]int, len(g)), routes(g, 0)
	for _, i := range slices.Backward(order[1:]) {
		size[i]++
		size[to.Next[i]] += size[i]
		sum += 2 * int64(size[i]) * int64(len(g)-size[i])
	}
	return diameter, sum
}

// from returns the nodes that can be reached from a node, in the order of their distance,
// and by node its distance; -1: it cannot be reached.
func from(g [][]messaging.ID, i messaging.ID) (order []messaging.ID, distance []int) {
	distance = slices.Repeat([]int{-1}, len(g))
	distance[i] = 0
	order = append(make([]messaging.ID, 0, len(g)), i)
	for k := 0; k < len(order); k++ {
		for _, j := range g[order[k]] {
			if distance[j] < 0 {
				distance[j] = distance[order[k]] + 1
				order = append(order, j)
			}
		}
	}
	return order, distance
}

// reversed returns g with all links in the other direction.
func reversed(g [][]messaging.ID) [][]messaging.ID {
	back := make([][]messaging.ID, len(g))
	for i, links := range g {
		for _, j := range links {
			back[j] = append(back[j], messaging.ID(i))
		}
	}
	return back
}
