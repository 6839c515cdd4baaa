package recovery

import (
	"cmp"
	"slices"

	"example.org/doorway/internal/impossible"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/election"
	"example.org/doorway/messaging/election/bully"
)

// impossible returns why no run delivers m, or "". The nodes of the algorithm and of the election
// judge their own messages.
func (n *node) impossible(from messaging.ID, m messaging.Message) string {
	own := from == n.start.Self
	switch m := m.(type) {
	case election.Hold, bully.Election, bully.Answer, bully.Coordinator, bully.Timeout:
		return ""
	case Freeze:
		return impossible.If(m.Epoch == 0 || n.regenerator(m.Epoch) != from, "the sender cannot name that epoch")
	case Status:
		return impossible.If(m.Epoch == 0 || n.regenerator(m.Epoch) != n.start.Self || m.Epoch > max(n.Promised, n.Regenerates),
			"it answers what this node has not asked")
	case Begin:
		return cmp.Or(
			impossible.If(m.Epoch == 0 || n.regenerator(m.Epoch) != from, "the sender cannot name that epoch"),
			impossible.If(m.Epoch > n.Promised, "it begins an epoch that this node has not promised to take part in"),
			n.notMembers(m),
		)
	case Probe:
		return impossible.If(own || m.Number == 0, "there is no such crash")
	case Alive:
		return impossible.If(own || m.Number == 0 || m.Number > n.Told, "it answers what this node has not asked")
	case Later:
		return impossible.If(m.Epoch == 0 || own, "no epoch is before the first")
	case Suspect:
		return impossible.If(own, "a node tells no other than the leader")
	case Within:
		return cmp.Or(
			impossible.If(m.Epoch == 0 || m.Message == nil, "it is not a message of an epoch after the first"),
			n.strange(from, m.Epoch, m.Message),
		)
	case Silence:
		return impossible.If(!own || n.config.Silence == 0 || m.Epoch == 0 || m.Epoch > max(n.Promised, n.Regenerates), "no such timer runs")
	case Impatience:
		return impossible.If(!own || n.Timers == 0, "no such timer runs")
	}
	return n.strange(from, 0, m)
}

// strange returns why m is no message of the algorithm from a node in an epoch, or "". Of one that it
// gets, the algorithm judges more.
func (n *node) strange(from messaging.ID, epoch uint64, m messaging.Message) string {
	return cmp.Or(
		impossible.If(epoch > n.Promised, "the epoch is in the future"),
		impossible.If(!(n.active() && epoch == n.Present) && !n.has(m), "it is not a message of this algorithm"),
		impossible.If(n.active() && epoch == n.Present && !slices.Contains(n.Members, from), "the sender is no member of the epoch"),
	)
}

// notMembers returns why the members of an epoch are none, or "".
func (n *node) notMembers(m Begin) string {
	ascend := slices.IsSorted(m.Members) && len(slices.Compact(slices.Clone(m.Members))) == len(m.Members)
	return cmp.Or(
		impossible.If(!slices.Contains(m.Members, n.start.Self), "this node is not in its members"),
		impossible.If(!ascend || m.Members[0] < 0 || int(m.Members[len(m.Members)-1]) >= n.start.Nodes, "its members are not nodes in ascending order"),
		impossible.If(!slices.Contains(m.Members, m.Holder), "its holder is no member"),
	)
}
