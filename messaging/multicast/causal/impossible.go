package causal

import (
	"cmp"
	"slices"

	"example.org/doorway/internal/node/impossible"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/multicast"
)

// impossible returns why node from cannot have sent m; "" if it can.
func (n *node) impossible(from messaging.ID, m messaging.Message) string {
	self := n.start.Self
	switch m := m.(type) {
	case multicast.Send:
		return impossible.If(from != self, "only its user has a node send to the group")
	case data:
		if from == self {
			return "a node does not send to itself"
		}
		if len(m.Vector) != n.start.Nodes {
			return "its timestamp has not a number for each node"
		}
		return cmp.Or(
			impossible.If(m.Vector[from] == 0, "its messages are numbered from 1"),
			impossible.If(m.Vector[from] <= n.Delivered[from] || n.waits(from, m.Vector[from]), "it has arrived before"),
			impossible.If(m.Vector[self] > n.Delivered[self], "its sender has delivered what this node has not sent"),
		)
	}
	return "it is not a message of this algorithm"
}

// waits reports whether message number of node from has arrived and is not delivered.
func (n *node) waits(from messaging.ID, number uint64) bool {
	return slices.ContainsFunc(n.Early, func(e early) bool { return e.From == from && e.Data.Vector[from] == number })
}
