package link

import (
	"cmp"

	"example.org/doorway/internal/node/impossible"
	"example.org/doorway/messaging"
)

// impossible returns why no run delivers m, or "". The inner node judges its own messages.
func (n *node) impossible(from messaging.ID, m messaging.Message) string {
	if from == n.start.Self {
		_, expired := m.(tick)
		return impossible.If(expired && !n.Ticking, "no timer runs")
	}
	p := &n.Peers[from]
	sender, receiver := incarnations(m)
	switch m.(type) {
	case frame, ack, hello, here:
	default:
		return "it is not a message of a link"
	}
	_, asks := m.(hello)
	if why := cmp.Or(
		impossible.If(sender == 0, "there is no such incarnation of the sender"),
		impossible.If(receiver == 0 && !asks || receiver > n.Incarnation, "there is no such incarnation of this node"),
	); why != "" {
		return why
	}
	present := receiver == n.Incarnation && sender >= p.Incarnation
	var sent, seen uint64
	if sender == p.Incarnation {
		sent, seen = p.Sent, p.Seen
	}
	switch m := m.(type) {
	case frame:
		return cmp.Or(
			impossible.If(m.Number == 0 || m.Message == nil, "it has no message"),
			impossible.If(present && m.Number > seen+uint64(n.buffer), "the sender may not have that many messages unacknowledged"),
			impossible.If(present && m.Seen > sent, "it acknowledges what was not sent"),
		)
	case ack:
		return cmp.Or(
			impossible.If(m.First > m.Last || m.First == 0 && m.Last > 0, "it asks for nothing"),
			impossible.If(present && max(m.Seen, m.Last) > sent, "it acknowledges what was not sent"),
		)
	case here:
		return impossible.If(present && m.Answers > p.Notices, "it answers what was not asked")
	}
	return ""
}
