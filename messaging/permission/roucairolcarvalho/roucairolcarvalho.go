// Package roucairolcarvalho is the algorithm of Ricart and Agrawala with a memory,
// after Carvalho and Roucairol: a reply is a permission that lasts until it is
// given back, so that a node asks only those whose permission it does not have.
//
// # Source
//
// O. S. F. Carvalho, G. Roucairol, "On mutual exclusion in computer networks"
// (technical correspondence), Communications of the ACM 26(2), 1983, 146-147.
// Also in Prabhakaran, "Mutual Exclusion Algorithms", slide 14.
//
// # Messages
//
//	Request{Of}   node Of.ID asks for the permission to enter, for its request Of
//	Reply{To}     the sender permits the request To, and all later ones until it asks itself
//
// Links need not be FIFO.
//
// # State
//
//	Phase       idle, waiting or inside
//	Highest     the largest time seen in a request, one's own included
//	Mine        the last request of this node; while it waits, all are asked whose permission is missing
//	Permitted   whose permission this node has
//	Deferred    by node, the time of its request that is to be answered on leaving; 0: none
//
// # Properties
//
// Exclusion: between any two nodes there is one permission at most, with one of
// them or under way, and a node that enters has those of all others. One that gives
// a permission away while it waits itself must ask for it anew.
//
// Starvation-free: a node that waits gives way only to older requests. But a node
// that has all permissions enters without asking, even if an older request is
// under way to it: stamps decide only among those that wait for each other.
//
// An entry takes 2 messages for each permission that is missing, or is lost to an
// older request meanwhile: none if the node was the last to enter and none has
// asked since, 2(N-1) at most. From an exit to the next entry it takes one message
// delay. A node that crashes blocks all that ask it.
//
// A request that is given up is absorbed. It can be withdrawn as well, but not by
// going idle and no more: see [NewWithdrawing], and the variant
// roucairolcarvalho/naive of [example.org/doorway/catalog].
package roucairolcarvalho

import "example.org/doorway/messaging"

// Request asks for the permission of a node.
type Request struct{ Of messaging.Stamp }

// Reply permits the request To and those after it.
type Reply struct{ To messaging.Stamp }

// Kinds returns a message of each kind.
func Kinds() []messaging.Message { return []messaging.Message{Request{}, Reply{}} }

// New returns node start.Self, which has no permission at first: the first
// entry of all takes 2(N-1) messages. It is a [messaging.Algorithm].
func New(start messaging.Start) messaging.Exclusion { return newNode(start) }

// NewTriangle returns node start.Self, which has the permission of all nodes with a
// larger number at first. So each permission is somewhere, and node 0 enters free
// of charge. It is a [messaging.Algorithm].
func NewTriangle(start messaging.Start) messaging.Exclusion {
	n := newNode(start)
	for j := start.Self + 1; int(j) < start.Nodes; j++ {
		n.Permitted.Add(j)
	}
	return n
}

func newNode(start messaging.Start) *node {
	return &node{start: start, Deferred: make([]messaging.Time, start.Nodes)}
}

type node struct {
	start messaging.Start

	Phase     messaging.Phase
	Highest   messaging.Clock
	Mine      messaging.Stamp
	Permitted messaging.Set
	Deferred  []messaging.Time
}

func (n *node) Request(out messaging.Out) {
	n.Phase, n.Mine = messaging.Waiting, n.Highest.Tick(n.start.Self)
	for j := range n.start.Others() {
		if !n.Permitted.Has(j) {
			out.Send(j, Request{n.Mine})
		}
	}
	n.enterIfPermitted(out)
}

func (n *node) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if why := n.impossible(from, m); why != "" {
		messaging.Refuse("roucairolcarvalho", n.start.Self, from, m, why)
	}
	switch m := m.(type) {
	case Request:
		n.asked(m.Of, out)
	case Reply:
		n.Permitted.Add(from)
		n.enterIfPermitted(out)
	}
}

// asked permits the request r, or defers it.
func (n *node) asked(r messaging.Stamp, out messaging.Out) {
	n.Highest.Witness(r)
	if n.Phase == messaging.Inside || n.Phase == messaging.Waiting && n.Mine.Before(r) {
		n.Deferred[r.ID] = max(n.Deferred[r.ID], r.Time) // of two, the older was withdrawn
		return
	}
	lost := n.Permitted.Has(r.ID)
	n.permit(r, out)
	if n.Phase == messaging.Waiting && lost {
		out.Send(r.ID, Request{n.Mine}) // those that had not permitted it were asked already
	}
}

// permit lets the request r pass, and with it goes the permission of its node.
func (n *node) permit(r messaging.Stamp, out messaging.Out) {
	n.Permitted.Remove(r.ID)
	out.Send(r.ID, Reply{r})
}

func (n *node) enterIfPermitted(out messaging.Out) {
	if n.Permitted.Len() == n.start.Nodes-1 {
		n.Phase = messaging.Inside
		out.Enter()
	}
}

func (n *node) Release(out messaging.Out) {
	n.Phase = messaging.Idle
	for j, t := range n.Deferred {
		if t != 0 {
			n.Deferred[j] = 0
			n.permit(messaging.Stamp{Time: t, ID: messaging.ID(j)}, out)
		}
	}
}
