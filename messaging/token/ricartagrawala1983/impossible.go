package ricartagrawala1983

import (
	"example.org/doorway/internal/node/impossible"
	"example.org/doorway/messaging"
)

// impossible returns why node from cannot have sent m; "" if it can.
func (n *node) impossible(from messaging.ID, m messaging.Message) string {
	self := n.start.Self
	if from == self {
		return "a node sends itself no message"
	}
	switch m := m.(type) {
	case request:
		return impossible.If(m.Number == 0, "there is no such request")
	case token:
		switch {
		case n.Phase != messaging.Waiting:
			return "this node has not asked for the token"
		case len(m.L) != n.start.Nodes:
			return "L is not one number for each node"
		case m.L[self] >= n.R[self]:
			return "the request of this node was served before"
		}
		return ""
	}
	return "it is not a message of this algorithm"
}
