package ricartagrawala

import (
	"example.org/doorway/internal/node/impossible"
	"example.org/doorway/messaging"
)

// impossible returns why node from cannot have sent m; "" if it can.
func (n *node) impossible(from messaging.ID, m messaging.Message) string {
	switch m := m.(type) {
	case Request:
		return impossible.Other(n.start.Self, from, m.Of)
	case Reply:
		return impossible.To(n.start.Self, m.To, atMost(n.Highest))
	}
	return "it is not a message of this algorithm"
}

// impossible does the same for the nodes of NewAcknowledged, and checks their timer.
func (n *acknowledged) impossible(from messaging.ID, m messaging.Message) string {
	self := n.start.Self
	if _, tick := m.(tick); tick || from == self {
		return impossible.If(!tick || from != self || !n.Ticking, "this node has set no such timer")
	}
	switch m := m.(type) {
	case within:
		_, nested := m.Message.(within)
		if m.Epoch == 0 || nested {
			return "it is not a message of an epoch after the first"
		}
		return n.impossible(from, m.Message)
	case Request:
		return impossible.Request(from, m.Of)
	case acknowledge:
		return impossible.Request(from, m.To)
	case grant:
		return impossible.To(self, m.To, atMost(n.Highest))
	case deferred:
		return impossible.To(self, m.To, atMost(n.Highest))
	}
	return "it is not a message of this algorithm"
}

// atMost returns a stamp that no request of a node is later than. Of its requests that are
// over it remembers only that: an answer to one that was withdrawn may still be in transit.
func atMost(highest messaging.Clock) messaging.Stamp {
	return messaging.Stamp{Time: messaging.Time(highest)}
}
