package catalog

import (
	"fmt"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/token/naimitrehel"
)

// onRing returns p with First of an algorithm on a ring.
func onRing(p Protocol, a func(ring []messaging.ID) messaging.Algorithm) Protocol {
	p.Ring = true
	p.First = func(sets [][]messaging.ID) (messaging.Algorithm, error) {
		next, err := single(p, sets)
		if err != nil {
			return nil, err
		}
		ring := []messaging.ID{0}
		for i := next[0]; i != 0 && len(ring) < len(next); i = next[i] {
			ring = append(ring, i)
		}
		if last := ring[len(ring)-1]; len(ring) < len(next) || next[last] != 0 {
			return nil, fmt.Errorf("%s takes successors that form one ring of all nodes, but from node 0 on they are %d", p.Name, append(ring, next[last]))
		}
		return a(ring), nil
	}
	return p
}

// byNumber returns p as an algorithm on the ring in the order of the nodes.
func byNumber(p Protocol) Protocol {
	p.Ring = true
	return p
}

// inTree returns p with First of an algorithm in a tree, of which the root is given as its own father.
func inTree(p Protocol, a func(fathers []messaging.ID) messaging.Algorithm) Protocol {
	p.First = func(sets [][]messaging.ID) (messaging.Algorithm, error) {
		fathers, err := single(p, sets)
		if err != nil {
			return nil, err
		}
		root := messaging.ID(-1)
		for i := range fathers {
			top := messaging.ID(i)
			for k := 0; k < len(fathers) && fathers[top] != top; k++ {
				top = fathers[top]
			}
			switch {
			case fathers[top] != top:
				return nil, fmt.Errorf("%s takes fathers that form a tree, but node %d is on a cycle: the root is its own father", p.Name, top)
			case root >= 0 && top != root:
				return nil, fmt.Errorf("%s takes fathers that form one tree, but nodes %d and %d are roots", p.Name, root, top)
			}
			root = top
		}
		fathers[root] = naimitrehel.None
		return a(fathers), nil
	}
	return p
}

// single returns the only node of each set.
func single(p Protocol, sets [][]messaging.ID) ([]messaging.ID, error) {
	only := make([]messaging.ID, len(sets))
	for i, set := range sets {
		if len(set) != 1 {
			return nil, fmt.Errorf("%s takes one node to which each sends first, but node %d has %d", p.Name, i, len(set))
		}
		only[i] = set[0]
	}
	return only, nil
}
