// Package roucairolcarvalho implements the optimization of Ricart and Agrawala's algorithm
// by Carvalho and Roucairol: a reply is a permission that lasts until it is given
// back, so a node asks only the nodes whose permission it does not have.
//
// # Source
//
// O. S. F. Carvalho, G. Roucairol, "On mutual exclusion in computer networks"
// (technical correspondence), Communications of the ACM 26(2), 1983, 146-147.
// Also in Prabhakaran, "Mutual Exclusion Algorithms", slide 14.
//
// # Messages
//
//	Request{Of}   node Of.ID asks for the receiver's permission for its request Of
//	Reply{To}     the sender permits To and all later requests, until it asks itself
//
// Links need not be FIFO.
//
// # State
//
//	Phase       idle, waiting or inside
//	Highest     the largest time in any request seen, its own included
//	Mine        its latest request; while it waits, all nodes not in Permitted have been asked
//	Permitted   the nodes whose permission this node has
//	Deferred    by node, the time of its request to be answered on exit; 0: none
//
// # Properties
//
// Mutual exclusion: between any two nodes there is at most one permission, held by one
// of them or in transit, and a node inside has the permissions of all others. A waiting
// node that gives a permission away must ask for it again.
//
// Starvation-free: a waiting node gives way only to older requests. But a node that has
// all permissions enters without asking, even if an older request is in transit to it:
// stamps decide only among the nodes that wait for each other.
//
// An entry takes 2 messages for each permission that is missing, or that is lost to an
// older request meanwhile: none if the node was the last to enter and no other has
// asked since, and at most 2(N-1). The synchronization delay is T. A node that crashes
// blocks all that ask it.
//
// An aborted request is absorbed. To withdraw it takes more than going idle: see
// [NewWithdrawing], and the variant roucairolcarvalho/naive of
// [example.org/doorway/catalog].
package roucairolcarvalho

import "example.org/doorway/messaging"

// The messages, as above.
type (
	request struct{ Of messaging.Stamp }
	reply   struct{ To messaging.Stamp }
)

// Protocol is the algorithm, for hosts that are told which one to run.
var Protocol = messaging.Protocol{
	Name:  "roucairolcarvalho",
	New:   func(int) (messaging.Algorithm, error) { return New, nil },
	Kinds: []messaging.Message{request{}, reply{}},

	Invariant: onePermission,
}

// Triangle is the algorithm of NewTriangle.
var Triangle = messaging.Protocol{
	Name:  "roucairolcarvalho-triangle",
	New:   func(int) (messaging.Algorithm, error) { return NewTriangle, nil },
	Kinds: Protocol.Kinds,

	Invariant: onePermission,
}

// Withdrawing is the algorithm of NewWithdrawing.
var Withdrawing = messaging.Protocol{
	Name:  "roucairolcarvalho-withdrawing",
	New:   func(int) (messaging.Algorithm, error) { return NewWithdrawing, nil },
	Kinds: Protocol.Kinds,

	Invariant: onePermission,
}

// New returns node start.Self, which initially has no permissions: the first entry
// of all takes 2(N-1) messages. It is a [messaging.Algorithm].
func New(start messaging.Start) messaging.Node { return newNode(start) }

// NewTriangle returns node start.Self, which initially has the permissions of all
// nodes with larger numbers. So each permission is held by some node, and the first
// entry of node 0 takes no messages. It is a [messaging.Algorithm].
func NewTriangle(start messaging.Start) messaging.Node {
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
			out.Send(j, request{n.Mine})
		}
	}
	n.enterIfPermitted(out)
}

func (n *node) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if why := n.impossible(from, m); why != "" {
		messaging.Refuse("roucairolcarvalho", n.start.Self, from, m, why)
	}
	switch m := m.(type) {
	case request:
		n.asked(m.Of, out)
	case reply:
		n.Permitted.Add(from)
		n.enterIfPermitted(out)
	}
}

// asked permits or defers the request r.
func (n *node) asked(r messaging.Stamp, out messaging.Out) {
	n.Highest.Witness(r)
	if n.Phase == messaging.Inside || n.Phase == messaging.Waiting && n.Mine.Before(r) {
		n.Deferred[r.ID] = max(n.Deferred[r.ID], r.Time) // of two, the older was withdrawn
		return
	}
	lost := n.Permitted.Has(r.ID)
	n.permit(r, out)
	if n.Phase == messaging.Waiting && lost {
		out.Send(r.ID, request{n.Mine}) // if not lost, it was asked already
	}
}

// permit replies to the request r, and so gives up the permission of its node.
func (n *node) permit(r messaging.Stamp, out messaging.Out) {
	n.Permitted.Remove(r.ID)
	out.Send(r.ID, reply{r})
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
