package recovery

import (
	"fmt"

	"example.org/doorway/messaging"
)

// The kinds of messages, for tests.
type (
	Alive      = alive
	Begin      = begin
	Freeze     = freeze
	Impatience = impatience
	Later      = later
	Probe      = probe
	Silence    = silence
	Status     = status
	Suspect    = suspect
	Within     = within
)

// OneLive is the rule that all nodes that take part in an epoch do so in the same, and that rule.
func OneLive(rule messaging.Invariant) messaging.Invariant {
	return func(nodes []messaging.Node, transit []messaging.Event) error {
		var live *node
		for i := range nodes {
			n, up := nodes[i].(*node)
			switch {
			case !up || !n.active():
			case live == nil:
				live = n
			case n.Present != live.Present:
				return fmt.Errorf("node %d takes part in epoch %d, and node %d in epoch %d", live.start.Self, live.Present, n.start.Self, n.Present)
			}
		}
		return rule(nodes, transit)
	}
}

// Kept reports whether one of these nodes has kept the number of the last epoch, or if all are up, together
// they know it.
func Kept(nodes []messaging.Node) bool {
	all := true
	for i := range nodes {
		n, up := nodes[i].(*node)
		if up && n.Kept {
			return true
		}
		all = all && up
	}
	return all
}

// Rehearse returns the nodes of p in the first of their epochs, if those wait, which of them are inside, and how
// many messages are left.
func Rehearse(p messaging.Protocol, members int, waiting messaging.Set) (nodes []messaging.Node, inside messaging.Set, left int) {
	n := Over(p, Config{})(messaging.Start{Nodes: members}).(*node)
	r := n.rehearse(begin{Epoch: uint64(members), Members: everyone(members), Waiting: waiting}, none)
	for i, site := range r.sites {
		nodes = append(nodes, site.Node())
		if site.Phase() == messaging.Inside {
			inside.Add(messaging.ID(i))
		}
	}
	return nodes, inside, len(r.transit)
}
