package ring

import (
	"cmp"

	"example.org/doorway/internal/node/impossible"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/election"
)

// impossible returns why node from cannot have sent m; "" if it can. A node that is alone sends
// to itself.
func (n *node) impossible(from messaging.ID, m messaging.Message) string {
	self, nodes := n.start.Self, n.start.Nodes
	stranger := impossible.If(from == self && n.successor() != self, "a node does not send to itself")
	switch m := m.(type) {
	case election.Hold:
		return impossible.If(from != self, "only its user has a node hold an election")
	case Election:
		return cmp.Or(
			stranger,
			impossible.If(!distinct(m.Members, nodes), "its members are not nodes, each once"),
			impossible.If(len(m.Members) == 0 || m.Members[0] != from, "the sender is not its first member"),
		)
	case Coordinator:
		return cmp.Or(
			stranger,
			impossible.If(m.Leader < 0 || int(m.Leader) >= nodes, "the leader is not a node"),
			impossible.If(m.Term == 0 || m.Term != election.NextTerm(m.Term-1, m.Leader, nodes), "the leader cannot lead in this term"),
		)
	}
	return "it is not a message of this algorithm"
}

// distinct reports whether ids are nodes, each at most once.
func distinct(ids []messaging.ID, nodes int) bool {
	var seen messaging.Set
	for _, id := range ids {
		if id < 0 || int(id) >= nodes || seen.Has(id) {
			return false
		}
		seen.Add(id)
	}
	return true
}

func (n *naive) impossible(from messaging.ID, m messaging.Message) string {
	switch m := m.(type) {
	case election.Hold:
		return impossible.If(from != n.self, "only its user has a node hold an election")
	case probe:
		return cmp.Or(
			impossible.If(from == n.self && n.next != n.self, "a node does not send to itself"),
			impossible.If(m.Origin < 0 || int(m.Origin) >= n.nodes, "its origin is not a node"),
			impossible.If(m.Largest < m.Origin || int(m.Largest) >= n.nodes, "it cannot have met this number"),
			impossible.If(m.Origin == n.self && !n.Awake, "this node has sent no Probe"),
		)
	}
	return "it is not a message of this algorithm"
}
