package snepscheut

import (
	"errors"
	"fmt"

	"example.org/doorway/internal/node/invariant"
	"example.org/doorway/messaging"
)

// oneToken is the part of the invariant that all algorithms with a token have.
var oneToken = invariant.OneToken[*node, token](func(n *node) bool { return n.Token })

// holds is the invariant: there is at most one token, the links that lead away from nodes
// make no cycle, and each path along them ends at the token or, if it is in transit, at
// the node that will get it, which turns its links then. If nodes are down, there need be no
// path.
func holds(nodes []messaging.Node, transit []messaging.Event) error {
	if err := oneToken(nodes, transit); err != nil {
		return err
	}
	g, at := make([]*node, len(nodes)), none
	for i := range nodes {
		n, up := nodes[i].(*node)
		if !up {
			return nil
		}
		if g[i] = n; n.Token {
			at = n.self
		}
	}
	for _, e := range transit {
		if _, ok := e.Message.(token); ok {
			at = e.To
		}
	}
	if at == none {
		return errors.New("there is no token")
	}
	return pathsEndAt(g, at)
}

// pathsEndAt returns an error unless all paths end at node at. If the token is there, no link leads
// away from it.
func pathsEndAt(nodes []*node, at messaging.ID) error {
	over := make([]bool, len(nodes)) // all paths from it end there
	over[at] = true
	for k, j := range nodes[at].neighbors {
		if nodes[at].Token && nodes[at].away(k) {
			return fmt.Errorf("a link leads away from node %d, which has the token, to node %d", at, j)
		}
	}
	on := make([]bool, len(nodes)) // it is on the path that leads to the node
	var visit func(i messaging.ID) error
	visit = func(i messaging.ID) error {
		on[i] = true
		ends := true
		for k, j := range nodes[i].neighbors {
			if !nodes[i].away(k) {
				continue
			}
			ends = false
			if on[j] {
				return fmt.Errorf("the link from node %d to node %d closes a cycle", i, j)
			}
			if !over[j] {
				if err := visit(j); err != nil {
					return err
				}
			}
		}
		if ends {
			return fmt.Errorf("a path ends at node %d, and the token is at node %d", i, at)
		}
		on[i], over[i] = false, true
		return nil
	}
	for i := range nodes {
		if !over[i] {
			if err := visit(messaging.ID(i)); err != nil {
				return err
			}
		}
	}
	return nil
}
