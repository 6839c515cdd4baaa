// Package ricartagrawala implements the algorithm of Ricart and Agrawala: a node that
// wants to enter asks all others, and each replies unless its own request is older.
//
// # Source
//
// G. Ricart, A. K. Agrawala, "An optimal algorithm for mutual exclusion in
// computer networks", Communications of the ACM 24(1), 1981, 9-17.
//
// # Messages
//
//	Request{Of}   node Of.ID asks for the critical section
//	Reply{To}     the sender agrees to the request To
//
// Links need not be FIFO, but must not duplicate messages, since replies are counted. A
// reply names the request that it answers; stale replies, to a request that was
// withdrawn, are ignored.
//
// # State
//
//	Phase      idle, waiting or inside
//	Highest    the largest time in any request seen, its own included
//	Mine       its request; none while it is idle
//	Replies    the number of replies to Mine
//	Deferred   by node, the time of its request to be answered on exit; 0: none
//
// # Properties
//
// Mutual exclusion: of two concurrent requests, the older node replies to the younger
// only on exit. A request made after a reply to another is younger than that one, as its
// time is larger than every time seen.
//
// Starvation-free. Entries follow the order of the stamps. An entry always takes 2(N-1)
// messages. The synchronization delay is T. A node that crashes blocks all that ask;
// [NewFaultTolerant] continues without it.
package ricartagrawala

import "example.org/doorway/messaging"

// Request asks for the critical section. Of.Time is never 0.
type Request struct{ Of messaging.Stamp }

// Reply agrees to the request To.
type Reply struct{ To messaging.Stamp }

// Protocol is the algorithm, for hosts that are told which one to run.
var Protocol = messaging.Protocol{
	Name:  "ricartagrawala",
	New:   func(int) (messaging.Algorithm, error) { return New, nil },
	Kinds: []messaging.Message{Request{}, Reply{}},
}

// New returns node start.Self. It is a [messaging.Algorithm], and its nodes implement
// [messaging.Withdrawer].
func New(start messaging.Start) messaging.Node {
	return &node{start: start, Deferred: make([]messaging.Time, start.Nodes)}
}

type node struct {
	start messaging.Start

	Phase    messaging.Phase
	Highest  messaging.Clock
	Mine     messaging.Stamp
	Replies  int
	Deferred []messaging.Time
}

func (n *node) Request(out messaging.Out) {
	n.Phase, n.Mine = messaging.Waiting, n.Highest.Tick(n.start.Self)
	var request messaging.Message = Request{n.Mine}
	for j := range n.start.Others() {
		out.Send(j, request)
	}
	n.enterIfAgreed(out)
}

func (n *node) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if why := n.impossible(from, m); why != "" {
		messaging.Refuse("ricartagrawala", n.start.Self, from, m, why)
	}
	switch m := m.(type) {
	case Request:
		n.Highest.Witness(m.Of)
		if n.Phase == messaging.Inside || n.Phase == messaging.Waiting && n.Mine.Before(m.Of) {
			n.Deferred[from] = max(n.Deferred[from], m.Of.Time) // of two, the older was withdrawn
		} else {
			out.Send(from, Reply{m.Of})
		}
	case Reply:
		if m.To == n.Mine { // else it agrees to a request that was withdrawn
			n.Replies++
			n.enterIfAgreed(out)
		}
	}
}

func (n *node) enterIfAgreed(out messaging.Out) {
	if n.Replies == n.start.Nodes-1 {
		n.Phase = messaging.Inside
		out.Enter()
	}
}

func (n *node) Release(out messaging.Out) {
	n.Phase, n.Mine, n.Replies = messaging.Idle, messaging.Stamp{}, 0
	for j, t := range n.Deferred {
		if t != 0 {
			n.Deferred[j] = 0
			out.Send(messaging.ID(j), Reply{messaging.Stamp{Time: t, ID: messaging.ID(j)}})
		}
	}
}

// Withdraw replies to all deferred requests. Replies to the withdrawn request that are
// still in transit are stale.
func (n *node) Withdraw(out messaging.Out) { n.Release(out) }
