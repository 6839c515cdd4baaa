package cristian

import (
	"cmp"

	"example.org/doorway/internal/node/impossible"
	"example.org/doorway/internal/node/physical"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/clock"
)

// impossible returns why node from cannot have sent m; "" if it can.
func (n *node) impossible(from messaging.ID, m messaging.Message) string {
	self := n.start.Self
	switch m := m.(type) {
	case clock.Set, clock.Read:
		return impossible.If(from != self, "only its user sets and reads the clock of a node")
	case physical.Tick:
		return impossible.If(from != self, "a timer is that of the node")
	case request:
		return cmp.Or(
			impossible.If(!n.serves(), "this node is not the server"),
			impossible.If(from == self, "the server does not ask"),
			impossible.If(m.Number < 1, "its number is not one of a Request"),
		)
	case reply:
		return cmp.Or(
			impossible.If(from != n.server, "the sender is not the server"),
			impossible.If(m.Number < 1 || m.Number > n.Number, "there is no such Request"),
		)
	}
	return "it is not a message of this algorithm"
}
