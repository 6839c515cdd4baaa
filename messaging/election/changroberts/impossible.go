package changroberts

import (
	"cmp"

	"example.org/doorway/internal/node/impossible"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/election"
)

// impossible returns why node from cannot have sent m; "" if it can. With a single node, its
// messages are its own.
func (n *node) impossible(from messaging.ID, m messaging.Message) string {
	self, nodes := n.start.Self, messaging.ID(n.start.Nodes)
	stranger := impossible.If(from == self && n.next != self, "a node does not send to itself")
	switch m := m.(type) {
	case election.Hold:
		return impossible.If(from != self, "only its user has a node hold an election")
	case elect:
		return cmp.Or(
			stranger,
			impossible.If(m.Candidate < 0 || m.Candidate >= nodes, "its candidate is not a node"),
			impossible.If(m.Candidate == self && !n.Participant, "this node is no candidate"),
		)
	case leader:
		return cmp.Or(
			stranger,
			impossible.If(m.ID < 0 || m.ID >= nodes, "the leader is not a node"),
			impossible.If(m.ID < self, "this node has a larger number than the leader"),
			impossible.If(m.ID == self && n.Leader != self, "this node does not lead"),
		)
	}
	return "it is not a message of this algorithm"
}
