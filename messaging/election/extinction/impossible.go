package extinction

import (
	"cmp"
	"slices"

	"example.org/doorway/internal/node/impossible"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/election"
)

// impossible returns why node from cannot have sent m; "" if it can.
func (n *node) impossible(from messaging.ID, m messaging.Message) string {
	if _, own := m.(election.Hold); own {
		return impossible.If(from != n.start.Self, "only its user has a node hold an election")
	}
	_, linked := slices.BinarySearch(n.start.Neighbors, from)
	stranger := impossible.If(!linked, "there is no link to this node")
	switch m := m.(type) {
	case explore:
		return cmp.Or(
			stranger,
			n.unknown(m.Candidate),
			impossible.If(n.echoes && m.Candidate == n.M && n.Missing == 0, "all neighbors have answered that wave"),
			impossible.If(n.Leader != none && m.Candidate > n.Leader, "that candidate is larger than the leader"),
		)
	case echo:
		if n.echoes {
			return cmp.Or(
				stranger,
				n.unknown(m.Candidate),
				impossible.If(m.Candidate > n.M, "this node has not seen that wave"),
				impossible.If(m.Candidate == n.M && (n.Missing == 0 || n.Children.Has(from)), "this node awaits no such echo"),
			)
		}
	case leader:
		if n.echoes {
			return cmp.Or(
				stranger,
				impossible.If(m.ID != n.M || from != n.Parent || n.Missing > 0, "that wave cannot be over"),
				impossible.If(n.Leader != none, "the election is over"),
			)
		}
	}
	return "it is not a message of this algorithm"
}

// unknown returns why there is no wave of that candidate.
func (n *node) unknown(candidate messaging.ID) string {
	return cmp.Or(
		impossible.If(candidate < 0 || int(candidate) >= n.start.Nodes, "its candidate is not a node"),
		impossible.If(candidate == n.start.Self && n.M < candidate, "this node is no candidate"),
	)
}
