package recovery

import (
	"cmp"
	"slices"

	"example.org/doorway/internal/node/impossible"
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
	case freeze:
		return cmp.Or(
			impossible.If(m.Epoch == 0 || n.regenerator(m.Epoch) != from, "the sender cannot name that epoch"),
			impossible.If(m.To > n.Incarnation, "there is no such incarnation of this node"),
			impossible.If(m.Crashed.Has(from) || m.Crashed.Has(n.start.Self) || others(m.Crashed, everyone(n.start.Nodes)),
				"it counts the sender or the receiver as crashed, or what is no node"),
		)
	case status:
		return cmp.Or(
			impossible.If(!n.named(m.Epoch) || n.unnamed(m.Epoch), "it answers what this node has not asked"),
			impossible.If(m.Number == 0, "it has no number"),
			impossible.If(m.Inside && m.Waiting, "a node that is inside does not wait"),
			impossible.If(m.Crashed.Has(from) || others(m.Crashed, everyone(n.start.Nodes)),
				"it counts the sender as crashed, or what is no node"),
		)
	case begin:
		return cmp.Or(
			impossible.If(m.Epoch == 0 || n.regenerator(m.Epoch) != from, "the sender cannot name that epoch"),
			impossible.If(m.Epoch > n.Promised, "it begins an epoch that this node has not promised to take part in"),
			n.notMembers(from, m),
			impossible.If(n.begins(m) && m.Waiting.Has(n.start.Self) && (n.Phase == messaging.Inside || n.Phase == messaging.Idle && !n.withdraws), "this node does not wait"),
		)
	case probe:
		return impossible.If(own || m.Number == 0, "there is no such crash")
	case alive:
		return impossible.If(own || m.Number == 0 || m.Number > n.Notices, "it answers what this node has not asked")
	case later:
		return cmp.Or(
			impossible.If(m.Epoch == 0 || own, "no epoch is before the first"),
			impossible.If(n.unnamed(m.Epoch), "this node has not named that epoch"),
		)
	case suspect:
		return cmp.Or(
			impossible.If(own, "a node sends itself none"),
			impossible.If(m.Promised && m.Epoch == 0, "no node promises the first epoch"),
			impossible.If(n.unnamed(m.Epoch), "this node has not named that epoch"),
		)
	case within:
		return cmp.Or(
			impossible.If(m.Epoch == 0 || m.Message == nil, "it is not a message of an epoch after the first"),
			n.strange(from, m.Epoch, m.Message),
		)
	case silence:
		return impossible.If(!own || n.config.Silence == 0 || m.Epoch == 0 || m.Epoch > max(n.Promised, n.Regenerates), "no such timer runs")
	case impatience:
		return impossible.If(!own || n.Timers == 0, "no such timer runs")
	}
	return n.strange(from, 0, m)
}

// strange returns why m is no message of the algorithm from a node in an epoch, or "". Of one that it
// gets, the algorithm judges more.
func (n *node) strange(from messaging.ID, epoch uint64, m messaging.Message) string {
	taken := n.active() && epoch == n.Present
	return cmp.Or(
		impossible.If(epoch > n.Promised, "the epoch is in the future"),
		impossible.If(!taken && !n.has(m), "it is not a message of this algorithm"),
		impossible.If(taken && !slices.Contains(n.Members, from), "the sender is no member of the epoch"),
	)
}

// unnamed reports whether an epoch is one that only this node can name, and which it has not
// named yet: it promises each at once, and forgets none.
func (n *node) unnamed(epoch uint64) bool {
	return n.regenerator(epoch) == n.start.Self && epoch > max(n.Promised, n.Regenerates)
}

// notMembers returns why the members of an epoch that node from begins are none, or "".
func (n *node) notMembers(from messaging.ID, m begin) string {
	strange := func(e early) bool { return !slices.Contains(m.Members, e.From) }
	return cmp.Or(
		impossible.If(!slices.Contains(m.Members, n.start.Self), "this node is not in its members"),
		impossible.If(!slices.Contains(m.Members, from), "the sender is not in its members"),
		impossible.If(!impossible.Members(m.Members, n.start.Nodes), "its members are not nodes in ascending order"),
		impossible.If(others(m.Waiting, m.Members), "one that waits is no member"),
		impossible.If(m.Epoch == n.Promised && slices.ContainsFunc(n.Early, strange), "a message of the epoch came from a node that is not in its members"),
	)
}

// others reports whether a set has others than these nodes.
func others(s messaging.Set, nodes []messaging.ID) bool {
	for j := range s.All() {
		if !slices.Contains(nodes, j) {
			return true
		}
	}
	return false
}
