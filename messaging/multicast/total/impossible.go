package total

import (
	"cmp"

	"example.org/doorway/internal/node/impossible"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/multicast"
)

// impossible returns why node from cannot have sent m; "" if it can. It supposes nothing of the
// order of messages, which are delivered wrongly on links that are not FIFO, but not refused.
func (n *node) impossible(from messaging.ID, m messaging.Message) string {
	self := n.start.Self
	switch m := m.(type) {
	case multicast.Send:
		return impossible.If(from != self, "only its user has a node send to the group")
	case update:
		return cmp.Or(
			impossible.If(from == self, "a node does not send to itself"),
			impossible.If(m.Of.ID != from || m.Of.Time == 0, "it has no timestamp of its sender"),
			impossible.If(m.Number < 1, "its messages are numbered from 1"),
		)
	case ack:
		return cmp.Or(
			impossible.If(from == self, "a node does not send to itself"),
			impossible.If(m.Time == 0, "there is no such time"),
		)
	}
	return "it is not a message of this algorithm"
}
