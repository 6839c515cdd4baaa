package suzukikasami

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
	case Request:
		return impossible.If(m.Number == 0, "there is no such request")
	case Token:
		switch {
		case n.Phase != messaging.Waiting:
			return "this node has not asked for the token"
		case len(m.LN) != n.start.Nodes:
			return "LN is not one number for each node"
		case m.LN[self] >= n.RN[self]:
			return "the request of this node was served before"
		}
		return impossible.Queue(m.Q, self, n.start.Nodes)
	}
	return "it is not a message of this algorithm"
}
