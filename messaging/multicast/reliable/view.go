package reliable

import (
	"cmp"
	"iter"
	"slices"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/multicast"
)

// wish notes that a node, or the user of this one, wants to join or leave.
func (n *node) wish(from messaging.ID, m messaging.Message, out messaging.Out) {
	self := n.start.Self
	switch m := m.(type) {
	case multicast.Join:
		switch {
		case !n.member(self):
			n.Leaves[self] = 0
			n.tell(join{}, out)
		case n.leaves(self):
			n.Joins.Add(self) // when it has left
		}
	case multicast.Leave:
		n.Joins.Remove(self)
		n.Leaves[self] = n.View.Number
		n.tell(leave{n.View.Number}, out)
	case join:
		n.Joins.Add(from)
	case leave:
		n.Joins.Remove(from)
		if m.View > n.View.Number || m.View == n.View.Number && n.member(from) {
			n.Leaves[from] = m.View
		}
	}
}

// leaves reports whether node j wants to leave the present view. One that did not leave with a view in which it
// wanted to says so again in the next; and one that has left, and joined, wants to leave no more.
func (n *node) leaves(j messaging.ID) bool { return n.member(j) && n.Leaves[j] == n.View.Number }

// tell sends m to all other nodes, members or not.
func (n *node) tell(m messaging.Message, out messaging.Out) {
	for j := range n.start.Others() {
		out.Send(j, m)
	}
}

// crashed takes node j to be down. It may have been the one that had to bring others into the present view: then
// the next member of the view before does, also if it has left; and if all these are down, any member does.
func (n *node) crashed(j messaging.ID, out messaging.Out) {
	self := n.start.Self
	if j == self || n.Crashed.Has(j) {
		return
	}
	followed := n.first(n.Installed.Before) == j
	n.Crashed.Add(j)
	out.Emit(messaging.Removed{Node: j})
	if !followed {
		return
	}
	switch n.first(n.Installed.Before) {
	case self:
		n.sendInstalled(n.Installed.Before, out)
	case -1:
		n.sendInstalled(n.View.Members, out)
	}
}

// sendInstalled sends others how the present view began.
func (n *node) sendInstalled(to []messaging.ID, out messaging.Out) {
	for _, j := range to {
		if j != n.start.Self && !n.Crashed.Has(j) {
			out.Send(j, n.Installed)
		}
	}
}

// first returns the first of the members that is not taken to be down; -1: there is none.
func (n *node) first(members []messaging.ID) messaging.ID {
	for _, j := range members {
		if !n.Crashed.Has(j) {
			return j
		}
	}
	return -1
}

// next returns who is in the next view, as far as this node knows.
func (n *node) next() (members []messaging.ID) {
	for j := range messaging.ID(n.start.Nodes) {
		if !n.Crashed.Has(j) && (n.member(j) && !n.leaves(j) || !n.member(j) && n.Joins.Has(j)) {
			members = append(members, j)
		}
	}
	return members
}

// proceed does what is due after each event.
func (n *node) proceed(out messaging.Out) {
	for view := -1; view != n.View.Number; {
		view = n.View.Number
		n.changeView(out)
	}
	n.keepTicking(out)
}

// changeView has the coordinator ask about the next view or begin it, and a node that joins go into it.
func (n *node) changeView(out messaging.Out) {
	self := n.start.Self
	switch {
	case !n.member(self):
		n.join(out)
	case n.first(n.View.Members) != self:
	case n.Asked != 0 && n.By == self:
		n.decide(out)
	case n.Asked != 0 && n.By > self: // that takes this node to be down
	case n.Asked != 0 || !slices.Equal(n.next(), n.View.Members):
		n.ask(out)
		n.decide(out)
	}
}

// ask asks the members what they have kept.
func (n *node) ask(out messaging.Out) {
	n.Asked, n.By = n.View.Number+1, n.start.Self
	n.Answered, n.Union = nil, slices.Clone(n.Kept)
	for j := range n.asked() {
		out.Send(j, flush{n.Asked})
	}
}

// flush answers coordinator from, which asks about a view. If two ask about the same, that with the larger number
// counts: it knows that the other is down. One that asks about a view after the next is in the next already, and this node
// answers it again when it is there, too.
func (n *node) flush(from messaging.ID, view int, out messaging.Out) {
	switch next := n.View.Number + 1; {
	case view < next:
		out.Send(from, n.Installed)
	case n.Crashed.Has(from):
	case view == next && from >= n.By:
		n.Asked, n.By = view, from
		out.Send(from, flushed{n.View.Number, slices.Clone(n.Kept)})
	case view > next && (view > n.Later || view == n.Later && from >= n.LaterBy):
		n.Later, n.LaterBy = view, from
		if n.member(n.start.Self) {
			out.Send(from, flushed{n.View.Number, nil})
		}
	}
}

// flushed takes an answer. A node that is in the view before is brought into the present one, if this node is the one
// to do so, and then answers again.
func (n *node) flushed(from messaging.ID, m flushed, out messaging.Out) {
	switch {
	case m.View < n.View.Number:
		if n.first(n.Installed.Before) == n.start.Self {
			out.Send(from, n.Installed)
		}
	case n.Asked != 0 && n.By == n.start.Self:
		n.Answered.Add(from)
		n.Union = append(n.Union, m.Messages...)
	}
}

// decide begins the next view if all members have answered that are not down.
func (n *node) decide(out messaging.Out) {
	for j := range n.asked() {
		if !n.Answered.Has(j) {
			return
		}
	}
	slices.SortFunc(n.Union, func(a, b multicast.Delivered) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Number, b.Number))
	})
	i := install{View: multicast.View{Number: n.Asked, Members: n.next()}, Before: n.View.Members, Messages: slices.Compact(n.Union)}
	n.broadcast(i, out)
	n.install(i, out)
}

// asked yields the nodes that are asked about the next view, without those that are taken to be down: the other
// members, and those that were members in the view before, which must know that they have left it.
func (n *node) asked() iter.Seq[messaging.ID] {
	return func(yield func(messaging.ID) bool) {
		for j := range n.start.Others() {
			if (n.member(j) || slices.Contains(n.Installed.Before, j)) && !n.Crashed.Has(j) && !yield(j) {
				return
			}
		}
	}
}

// consider takes a later view from node from, unless this node has promised another coordinator, which knows that
// from is down, to wait for what that decides.
func (n *node) consider(from messaging.ID, i install, out messaging.Out) {
	self, number := n.start.Self, i.View.Number
	switch {
	case number <= n.View.Number || n.member(self) && !slices.Contains(i.Before, self) && slices.Contains(i.View.Members, self): // it is from a group that is over
	case !n.member(self):
		n.Copies[from] = i
	case n.Asked != 0 && n.By == self:
		if !n.Crashed.Has(from) { // it has answered so, and all will be there
			n.broadcast(i, out)
			n.install(i, out)
		}
	case n.Asked == 0 || n.By <= from:
		n.install(i, out)
	}
}

// join goes into a view of which all live members that were there before have told this node. If there is none, the
// group is over.
func (n *node) join(out messaging.Out) {
	for j, i := range n.Copies {
		if n.invited(messaging.ID(j)) && !slices.ContainsFunc(i.Before, func(j messaging.ID) bool { return n.awaitsCopy(j, i) }) {
			n.install(i, out)
			return
		}
	}
}

// invited reports whether node j has told this node of a view with it. If j is down, others may have decided on
// another.
func (n *node) invited(j messaging.ID) bool {
	return !n.Crashed.Has(j) && slices.Contains(n.Copies[j].View.Members, n.start.Self)
}

// awaitsCopy reports whether node j, which was a member before view i, must still tell this node of it, also if it
// has left with that view: until it does, it may be the coordinator that has decided on another.
func (n *node) awaitsCopy(j messaging.ID, i install) bool {
	view := n.Copies[j].View
	return !n.Crashed.Has(j) && (view.Number != i.View.Number || !slices.Equal(view.Members, i.View.Members))
}

// install goes into a view.
func (n *node) install(i install, out messaging.Out) {
	self := n.start.Self
	if n.member(self) {
		for _, d := range i.Messages {
			if d.Number > n.Last[d.From] {
				n.deliver(d, out)
			}
		}
		for _, j := range i.View.Members {
			if !n.member(j) {
				out.Send(j, i)
			}
		}
	}
	n.View, n.Installed = i.View, i
	out.Emit(i.View)

	later, by := n.Later, n.LaterBy
	n.Asked, n.By, n.Later, n.LaterBy, n.Answered, n.Union, n.Kept = 0, 0, 0, 0, nil, nil, nil
	clear(n.Copies)
	leaving := n.Leaves[self] != 0 && n.member(self)
	for j := range n.Acked {
		n.Acked[j] = n.Number
		if n.Leaves[j] < n.View.Number {
			n.Leaves[j] = 0
		}
	}
	for _, j := range i.View.Members {
		if j != self || !leaving { // otherwise it joins again when it has left
			n.Joins.Remove(j)
		}
	}
	arrived := n.Early
	n.Early = nil
	if later > n.View.Number {
		n.flush(by, later, out)
	}
	if !n.member(self) {
		if n.Joins.Has(self) {
			n.Joins.Remove(self)
			n.tell(join{}, out)
		}
		return
	}
	for _, e := range arrived {
		n.data(e.From, e.Data, out)
	}
	if n.tick > 0 { // no other node tells those that have joined
		for _, j := range i.View.Members {
			if n.Crashed.Has(j) {
				n.suspect(j, out)
			}
		}
	}
	if leaving {
		n.Leaves[self] = n.View.Number
		n.tell(leave{n.View.Number}, out)
	}
	n.sendBodies(out)
}
