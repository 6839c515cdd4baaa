package echo

import (
	"slices"

	"example.org/doorway/internal/node/impossible"
	"example.org/doorway/messaging"
)

// impossible returns why node from cannot have sent m; "" if it can.
func (n *node) impossible(from messaging.ID, m messaging.Message) string {
	if _, linked := slices.BinarySearch(n.start.Neighbors, from); !linked {
		return "there is no link to this node"
	}
	switch m := m.(type) {
	case explore:
		switch {
		case !n.exists(m.Origin) || m.Number == 0 || m.Origin == n.start.Self && m.Number > n.RN[m.Origin]:
			return "there is no such request"
		case n.echoes:
			return n.untimely(m)
		}
		return impossible.If(m.Origin == n.start.Self, "in a tree a wave does not come back")
	case echo:
		if n.echoes {
			return impossible.If(!n.exists(m.Origin) || m.Number != n.RN[m.Origin] || n.Missing[m.Origin] == 0, "this node awaits no such echo")
		}
	case token:
		return n.counterfeit(m)
	}
	return "it is not a message of this algorithm"
}

func (n *node) exists(j messaging.ID) bool { return 0 <= j && int(j) < n.start.Nodes }

// untimely returns why the wave cannot be here now: it comes after the last one, once from
// each neighbor.
func (n *node) untimely(wave explore) string {
	missing, seen := n.Missing[wave.Origin], n.RN[wave.Origin]
	return impossible.If(wave.Number != seen+1 && missing == 0 || wave.Number != seen && missing > 0, "that wave cannot be here now")
}

// counterfeit returns why m is not the token.
func (n *node) counterfeit(m token) string {
	switch {
	case n.HasToken:
		return "the token is here"
	case len(m.LN) != n.start.Nodes:
		return "LN is not one number for each node"
	case !n.exists(m.To) || n.RN[m.To] <= m.LN[m.To]:
		return "that node does not wait for the token"
	}
	return impossible.Queue(m.Q, m.To, n.start.Nodes)
}
