package bully

import (
	"cmp"

	"example.org/doorway/internal/node/impossible"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/election"
)

// impossible returns why node from cannot have sent m; "" if it can.
func (n *node) impossible(from messaging.ID, m messaging.Message) string {
	self := n.start.Self
	switch m := m.(type) {
	case election.Hold:
		return impossible.If(from != self, "only its user has a node hold an election")
	case Election:
		return cmp.Or(
			impossible.If(from >= self, "an Election goes to nodes with larger numbers"),
			impossible.If(m.Crash < 0, "its number is not one of a crash"),
		)
	case Answer:
		return cmp.Or(
			impossible.If(from <= self, "an Answer goes to nodes with smaller numbers"),
			impossible.If(m.Crash < 0 || m.Crash > n.Crashes, "there was no such Election"),
		)
	case Coordinator:
		return cmp.Or(
			impossible.If(from <= self, "a Coordinator goes to nodes with smaller numbers"),
			impossible.If(m.Term == 0 || m.Term != election.NextTerm(m.Term-1, from, n.start.Nodes), "the sender cannot lead in this term"),
			impossible.If(m.Crash < 0 || m.Crash > n.Crashes, "there was no such Election"),
		)
	case Timeout:
		return impossible.If(from != self || m.Coordinator && n.Coordinators == 0 || !m.Coordinator && n.Answers == 0, "there is no such timer")
	}
	return "it is not a message of this algorithm"
}
