// Package paths checks graphs of nodes and finds the paths in them. In a graph, g[i] are the nodes
// to which node i has links, as in package topology, which makes the usual ones.
package paths

import (
	"errors"
	"fmt"
	"slices"

	"example.org/doorway/messaging"
)

// Check returns an error unless g has at least one node, the links of each node lead to
// others, at most one to each, and every node can reach every other.
func Check(g [][]messaging.ID) error {
	n := len(g)
	if n == 0 {
		return errors.New("topology: the graph has no node")
	}
	for i, links := range g {
		links = slices.Sorted(slices.Values(links))
		for k, j := range links {
			switch {
			case j < 0 || int(j) >= n:
				return fmt.Errorf("topology: node %d has a link to node %d: the nodes are 0 to %d", i, j, n-1)
			case int(j) == i:
				return fmt.Errorf("topology: node %d has a link to itself", i)
			case k > 0 && links[k-1] == j:
				return fmt.Errorf("topology: node %d has two links to node %d", i, j)
			}
		}
	}
	if _, distance := from(g, 0); slices.Contains(distance, -1) {
		return fmt.Errorf("topology: no path leads from node 0 to node %d", slices.Index(distance, -1))
	}
	if _, distance := from(reversed(g), 0); slices.Contains(distance, -1) {
		return fmt.Errorf("topology: no path leads from node %d to node 0", slices.Index(distance, -1))
	}
	return nil
}

// CheckUndirected is [Check], and returns an error also if there is a link in one
// direction only.
func CheckUndirected(g [][]messaging.ID) error {
	if err := Check(g); err != nil {
		return err
	}
	for i, back := range reversed(g) { // in ascending order
		for k, j := range slices.Sorted(slices.Values(g[i])) {
			if k == len(back) || back[k] > j {
				return fmt.Errorf("topology: node %d has a link to node %d, which has none to node %[1]d: links lead in both directions", i, j)
			}
		}
	}
	return nil
}

// CheckTree is [CheckUndirected], and returns an error that names a link on a cycle if there
// is a cycle.
func CheckTree(g [][]messaging.ID) error {
	if err := CheckUndirected(g); err != nil {
		return err
	}
	to := routes(g, 0)
	for i, links := range g {
		for _, j := range links {
			if to.Next[i] != j && to.Next[j] != messaging.ID(i) {
				return fmt.Errorf("topology: it is not a tree: the link of nodes %d and %d closes a cycle", i, j)
			}
		}
	}
	return nil
}
