package roucairolcarvalho

import (
	"example.org/doorway/internal/node/impossible"
	"example.org/doorway/messaging"
)

// impossible returns why node from cannot have sent m; "" if it can.
func (n *node) impossible(from messaging.ID, m messaging.Message) string {
	switch m := m.(type) {
	case request:
		return impossible.Other(n.start.Self, from, m.Of)
	case reply:
		asked := n.Phase == messaging.Waiting && m.To == n.Mine && !n.Permitted.Has(from)
		return impossible.If(!asked, "this node has not asked")
	}
	return "it is not a message of this algorithm"
}
