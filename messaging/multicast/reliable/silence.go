package reliable

import (
	"slices"

	"example.org/doorway/messaging"
)

// awaits reports whether this node waits for a message of node j.
func (n *node) awaits(j messaging.ID) bool {
	self := n.start.Self
	switch {
	case j == self || n.Crashed.Has(j):
		return false
	case !n.member(self):
		for k, i := range n.Copies {
			if n.invited(messaging.ID(k)) && (int(j) == k || slices.Contains(i.Before, j) && n.awaitsCopy(j, i)) {
				return true
			}
		}
		return false
	case n.Asked != 0 && n.By == self:
		return (n.member(j) || slices.Contains(n.Installed.Before, j)) && !n.Answered.Has(j)
	case n.Asked != 0:
		return j == n.coordinator() || n.Later != 0 && j == n.LaterBy
	}
	return n.member(j) && n.Acked[j] < n.Number || j == n.first(n.View.Members) && !slices.Equal(n.next(), n.View.Members) || n.wishes(j)
}

// wishes reports whether node j wants to join or to leave: if it is down, perhaps no other node knows of that wish, or
// all others know that it is down.
func (n *node) wishes(j messaging.ID) bool { return n.leaves(j) || !n.member(j) && n.Joins.Has(j) }

// coordinator returns the node that decides on the next view: the one that asks, or the first member if that is down.
func (n *node) coordinator() messaging.ID {
	if n.Crashed.Has(n.By) {
		return n.first(n.View.Members)
	}
	return n.By
}

// ticked asks the members that are awaited whether they are live, and removes those that were silent for
// too long.
func (n *node) ticked(out messaging.Out) {
	n.Ticking = false
	for j := range n.start.Others() {
		if !n.awaits(j) {
			n.Silent[j] = 0
			continue
		}
		if n.Silent[j]++; n.Silent[j] < n.ticks {
			for _, k := range n.View.Members {
				if n.Crashed.Has(k) { // node j may wait for that one, if who was to tell it is down
					out.Send(j, suspect{k})
				}
			}
			out.Send(j, probe{})
			continue
		}
		n.crashed(j, out)
		n.suspect(j, out)
	}
}

// suspect tells the other members that node j is silent, and those that left with the present view: one of
// these may have to bring others into it.
func (n *node) suspect(j messaging.ID, out messaging.Out) {
	for k := range n.asked() {
		out.Send(k, suspect{j})
	}
}

// keepTicking keeps one timer running while a node is awaited.
func (n *node) keepTicking(out messaging.Out) {
	if n.tick == 0 || n.Ticking {
		return
	}
	for j := range n.start.Others() {
		if n.awaits(j) {
			n.Ticking = true
			out.After(n.tick, tick{})
			return
		}
	}
}
