package roucairolcarvalho

import (
	"fmt"

	"example.org/doorway/messaging"
)

// onePermission is the invariant: between any two nodes there is at most one permission, held
// by one of them or in a reply to it. A reply to a request that is over carries none.
func onePermission(nodes []messaging.Node, transit []messaging.Event) error {
	has := make([]messaging.Set, len(nodes)) // by node, whose permissions it has or will get
	for i := range nodes {
		if n := nodeOf(nodes[i]); n != nil {
			has[i] = append(has[i], n.Permitted...)
		}
	}
	for _, e := range transit {
		n := nodeOf(nodes[e.To])
		if m, ok := e.Message.(reply); ok && n.Phase == messaging.Waiting && m.To == n.Mine {
			has[e.To].Add(e.From)
		}
	}
	for i := range messaging.ID(len(nodes)) {
		for j := range has[i].All() {
			if j > i && has[j].Has(i) {
				return fmt.Errorf("there are 2 permissions between node %d and node %d: each has that of the other, or will get it", i, j)
			}
		}
	}
	return nil
}

// nodeOf returns the node that n is, or nil if it is down.
func nodeOf(n messaging.Node) *node {
	switch n := n.(type) {
	case *node:
		return n
	case *withdrawing:
		return (*node)(n)
	}
	return nil
}
