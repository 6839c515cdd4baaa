package central

import (
	"cmp"

	"example.org/doorway/internal/node/impossible"
	"example.org/doorway/messaging"
)

// impossible returns why node from cannot have sent m; "" if it can.
func (n *node) impossible(from messaging.ID, m messaging.Message) string {
	switch m := m.(type) {
	case request:
		return n.toCoordinator(from, m.Of)
	case cancel:
		return n.toCoordinator(from, m.Of)
	case release:
		if why := n.toCoordinator(from, m.Of); why != "" {
			return why
		}
		return impossible.If(m.Of.Time > n.Newest[from] || n.Queued[from] == m.Of.Time, "the request was not granted")
	case reply:
		notIts := impossible.If(from != n.start.Holder, "it is not the coordinator")
		return cmp.Or(notIts, impossible.To(n.start.Self, m.To, n.Mine))
	}
	return "it is not a message of this algorithm"
}

// toCoordinator checks a message to the coordinator about the sender's request r.
func (n *node) toCoordinator(from messaging.ID, r messaging.Stamp) string {
	notIts := impossible.If(n.start.Self != n.start.Holder, "this node is not the coordinator")
	return cmp.Or(notIts, impossible.Own(n.start.Self, n.Mine, from, r))
}
