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
		return slices.ContainsFunc(n.Copies, func(i Install) bool {
			return slices.Contains(i.View.Members, self) && slices.Contains(i.Before, j) && n.awaitsCopy(j, i)
		})
	case n.Asked != 0 && n.By == self:
		return (n.member(j) || slices.Contains(n.Installed.Before, j)) && !n.Answered.Has(j)
	case n.Asked != 0:
		return j == n.By || n.Later != 0 && j == n.LaterBy
	}
	return n.member(j) && n.Acked[j] < n.Number || j == n.first(n.View.Members) && !slices.Equal(n.next(), n.View.Members)
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
			out.Send(j, Probe{})
			continue
		}
		n.crashed(j, out)
		n.suspect(j, out)
	}
}

// suspect tells the other members that node j is silent.
func (n *node) suspect(j messaging.ID, out messaging.Out) {
	for _, k := range n.View.Members {
		if k != n.start.Self && !n.Crashed.Has(k) {
			out.Send(k, Suspect{j})
		}
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
			out.After(n.tick, Tick{})
			return
		}
	}
}
