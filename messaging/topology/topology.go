// Package topology has the usual networks of nodes, for algorithms that send only to
// neighbors: a topology lists for each node those to which it has links, and
// [messaging.On] puts an algorithm on it.
//
//	c := messaging.NewCluster(5, messaging.On(topology.Ring(5), a))
//
// A topology may also be written down: [][]messaging.ID{{1}, {2}, {0}}. All functions
// panic if there would be no node, and [Check] tells what is wrong with one.
package topology

import (
	"fmt"

	"example.org/doorway/messaging"
)

// Complete returns the topology in which every node has links to all others.
func Complete(n int) [][]messaging.ID {
	return of("Complete", n, func(_, _ int) bool { return true })
}

// Ring returns the unidirectional ring: node i has a link to node i+1, and the last to
// node 0. A ring of one node has no link.
func Ring(n int) [][]messaging.ID {
	return of("Ring", n, func(i, j int) bool { return j == (i+1)%n })
}

// Line returns the line: node i has links to nodes i-1 and i+1.
func Line(n int) [][]messaging.ID {
	return of("Line", n, func(i, j int) bool { return j == i-1 || j == i+1 })
}

// Star returns the star: node 0 has links to all others, and they to it.
func Star(n int) [][]messaging.ID {
	return of("Star", n, func(i, j int) bool { return i == 0 || j == 0 })
}

// Tree returns the tree in which node i > 0 is a child of node (i-1)/k, so that each node
// has at most k children: links lead both ways. It panics if k < 1.
func Tree(n, k int) [][]messaging.ID {
	if k < 1 {
		panic(fmt.Sprintf("topology: Tree(%d, %d): a node has at least one child", n, k))
	}
	parent := func(i int) int { return (i - 1) / k }
	return of("Tree", n, func(i, j int) bool { return j > 0 && parent(j) == i || i > 0 && parent(i) == j })
}

// of returns the topology of n nodes with the links that there are.
func of(name string, n int, link func(i, j int) bool) [][]messaging.ID {
	if n < 1 {
		panic(fmt.Sprintf("topology: %s of %d nodes: there must be at least 1", name, n))
	}
	all := make([][]messaging.ID, n)
	for i := range all {
		for j := range n {
			if j != i && link(i, j) {
				all[i] = append(all[i], messaging.ID(j))
			}
		}
	}
	return all
}

// Check returns an error unless t has at least one node, its links lead from each node to
// others, at most one to each, and every node can reach every other.
func Check(t [][]messaging.ID) error {
	n := len(t)
	if n == 0 {
		return fmt.Errorf("topology: it has no node")
	}
	for i, of := range t {
		var seen messaging.Set
		for _, j := range of {
			switch {
			case j < 0 || int(j) >= n:
				return fmt.Errorf("topology: node %d has a link to node %d: the nodes are 0 to %d", i, j, n-1)
			case int(j) == i:
				return fmt.Errorf("topology: node %d has a link to itself", i)
			case seen.Has(j):
				return fmt.Errorf("topology: node %d has two links to node %d", i, j)
			}
			seen.Add(j)
		}
	}
	back := make([][]messaging.ID, n)
	for i, of := range t {
		for _, j := range of {
			back[j] = append(back[j], messaging.ID(i))
		}
	}
	if i := unreached(t); i >= 0 {
		return fmt.Errorf("topology: no path leads from node 0 to node %d", i)
	}
	if i := unreached(back); i >= 0 {
		return fmt.Errorf("topology: no path leads from node %d to node 0", i)
	}
	return nil
}

// unreached returns a node that cannot be reached from node 0, or -1.
func unreached(t [][]messaging.ID) messaging.ID {
	reached := messaging.SetOf(0)
	for found := []messaging.ID{0}; len(found) > 0; {
		i := found[0]
		found = found[1:]
		for _, j := range t[i] {
			if !reached.Has(j) {
				reached.Add(j)
				found = append(found, j)
			}
		}
	}
	for i := range messaging.ID(len(t)) {
		if !reached.Has(i) {
			return i
		}
	}
	return -1
}
