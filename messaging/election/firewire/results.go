package firewire

import (
	"errors"
	"fmt"

	"example.org/doorway/messaging"
)

// OneTree is the [messaging.Results] of the algorithm: no node emits more than one [Child] or
// [Root], at most one is the root, and in the end one is, each other node has a parent, and the
// parents lead to the root. It expects that all nodes hold the election, and none crashes.
func OneTree(o messaging.Outcome) error {
	parents, root := make([]messaging.ID, len(o.Emitted)), none
	for i, values := range o.Emitted {
		id := messaging.ID(i)
		if len(values) > 1 {
			return fmt.Errorf("node %d has found its place twice", i)
		}
		parents[i] = none
		for _, v := range values {
			switch v := v.(type) {
			case Child:
				parents[i] = v.Parent
			case Root:
				if root != none {
					return fmt.Errorf("nodes %d and %d are the root", root, id)
				}
				parents[i], root = id, id
			}
		}
	}
	if !o.Over {
		return nil
	}
	if root == none {
		return errors.New("there is no root")
	}
	return leadTo(root, parents)
}

// leadTo returns an error unless the parents lead each node to the root.
func leadTo(root messaging.ID, parents []messaging.ID) error {
	for i := range parents {
		at := messaging.ID(i)
		for range parents {
			if parents[at] == none {
				return fmt.Errorf("node %d has no parent", at)
			}
			at = parents[at]
		}
		if at != root {
			return fmt.Errorf("the parents of node %d do not lead to node %d, the root", i, root)
		}
	}
	return nil
}

// oneContention is the rule of the slides that requests cross on one link at most. So nodes
// that wait in contention are two at most, and have asked each other.
func oneContention(nodes []messaging.Node, _ []messaging.Event) error {
	var first *node
	for i := range nodes {
		n, ok := nodes[i].(*node)
		if !ok || !n.Contends {
			continue
		}
		if first != nil && (n.Asked != first.start.Self || first.Asked != n.start.Self) {
			return fmt.Errorf("nodes %d and %d are in contention, but not with each other", first.start.Self, n.start.Self)
		}
		first = n
	}
	return nil
}
