package reliable

import (
	"cmp"
	"slices"

	"example.org/doorway/internal/node/impossible"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/multicast"
)

// impossible returns why node from cannot have sent m; "" if it can.
func (n *node) impossible(from messaging.ID, m messaging.Message) string {
	self, nodes := n.start.Self, n.start.Nodes
	switch m.(type) {
	case multicast.Send:
		return impossible.If(from != self, "only its user has a node send to the group")
	case multicast.Join, multicast.Leave:
		return impossible.If(from != self, "only its user has a node join or leave")
	case tick:
		return impossible.If(from != self || !n.Ticking, "no timer runs")
	}
	if from == self {
		return "a node does not send to itself"
	}
	switch m := m.(type) {
	case data:
		return cmp.Or(
			impossible.If(m.View < 1 || m.Number < 1, "views and messages are numbered from 1"),
			impossible.If(m.Stable < 0 || m.Stable >= m.Number, "all members have it before it is sent"),
		)
	case ack:
		return impossible.If(m.Number < 1 || m.Number > n.Number && !n.start.Restarted, "it acknowledges what was not sent")
	case leave:
		return impossible.If(m.View < 0, "views are numbered from 1")
	case suspect:
		return impossible.If(m.Node < 0 || int(m.Node) >= nodes || m.Node == from, "it suspects no other node")
	case flush:
		return impossible.If(m.View < 2, "view 1 is that at first")
	case flushed:
		return cmp.Or(impossible.If(m.View < 1, "views are numbered from 1"), n.unsent(m.Messages))
	case install:
		return cmp.Or(
			impossible.If(m.View.Number < 2, "view 1 is that at first"),
			impossible.If(!impossible.Members(m.View.Members, nodes) || !impossible.Members(m.Before, nodes), "its members are not nodes in ascending order"),
			n.unsent(m.Messages),
		)
	case join, probe, alive:
		return ""
	}
	return "it is not a message of this algorithm"
}

// unsent returns why no node can have sent all of these messages, or "".
func (n *node) unsent(all []multicast.Delivered) string {
	return impossible.If(slices.ContainsFunc(all, func(d multicast.Delivered) bool {
		return d.From < 0 || int(d.From) >= n.start.Nodes || d.Number < 1
	}), "a message is of no node, or has no number")
}
