package berkeley

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
	member := impossible.If(from != n.daemon || self == n.daemon, "only the daemon sends it, to members")
	switch m := m.(type) {
	case clock.Set, clock.Read:
		return impossible.If(from != self, "only its user sets and reads the clock of a node")
	case physical.Tick:
		return impossible.If(from != self, "a timer is that of the node")
	case poll:
		return cmp.Or(member, impossible.If(m.Round < 1, "its number is not one of a round"))
	case answer:
		return cmp.Or(
			impossible.If(self != n.daemon || from == self, "only members send it, to the daemon"),
			impossible.If(m.Round < 1 || m.Round > n.Round, "there is no such round"),
		)
	case adjust:
		return cmp.Or(member, impossible.If(m.Round < 1 || m.Round > n.Round, "this node has not answered in that round"))
	}
	return "it is not a message of this algorithm"
}
