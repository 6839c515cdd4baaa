package naimitrehel

import (
	"errors"
	"fmt"

	"example.org/doorway/messaging"
)

// NewTree returns the algorithm for a given initial tree: fathers[i] is the father of
// node i, and None is that of the root, which has the token, whatever Start.Holder is. It
// panics if two nodes have no father, as there would be two tokens; if none has, as
// there would be no token; if nodes are on a cycle; or if a father does not exist. The
// algorithm panics if it is started with another number of nodes than len(fathers).
func NewTree(fathers []messaging.ID) messaging.Algorithm {
	fathers = append([]messaging.ID(nil), fathers...)
	if err := check(fathers); err != nil {
		panic(err.Error())
	}
	return func(start messaging.Start) messaging.Node {
		if start.Nodes != len(fathers) {
			panic(fmt.Sprintf("naimitrehel: node %d is one of %d, but the tree has %d nodes", start.Self, start.Nodes, len(fathers)))
		}
		return newNode(start, fathers[start.Self])
	}
}

// check returns an error unless fathers is a tree.
func check(fathers []messaging.ID) error {
	if len(fathers) == 0 {
		return errors.New("naimitrehel: the tree has no node")
	}
	root := None
	for i, father := range fathers {
		switch {
		case father == None && root != None:
			return fmt.Errorf("naimitrehel: nodes %d and %d have no father: there would be two tokens", root, i)
		case father == None:
			root = messaging.ID(i)
		case father < 0 || int(father) >= len(fathers):
			return fmt.Errorf("naimitrehel: node %d has the father %d: the nodes are 0 to %d, and no father is None", i, father, len(fathers)-1)
		case int(father) == i:
			return fmt.Errorf("naimitrehel: node %d has itself as its father: its request would never arrive at the token", i)
		}
	}
	if root == None {
		return errors.New("naimitrehel: every node has a father: there would be no token")
	}
	return checkCycles(fathers, root)
}

// checkCycles returns an error unless all fathers lead to the root. It visits each node
// once.
func checkCycles(fathers []messaging.ID, root messaging.ID) error {
	from := make([]int, len(fathers)) // the node, and 1, from which the walk came that visited it first
	from[root] = len(fathers) + 1
	for i := range fathers {
		j := messaging.ID(i)
		for from[j] == 0 {
			from[j] = i + 1
			j = fathers[j]
		}
		if from[j] != i+1 {
			continue // the walk has met an earlier one, which led to the root
		}
		cycle := []messaging.ID{j}
		for k := fathers[j]; k != j; k = fathers[k] {
			cycle = append(cycle, k)
		}
		return fmt.Errorf("naimitrehel: nodes %v are on a cycle: their requests would never arrive at the token", cycle)
	}
	return nil
}
