// Package intervals implements the algorithm of Ricart and Agrawala for resources that are not
// known in advance: each node needs an interval, such as a tennis court from 10:28 to 12:17, and
// replies to others at once unless their intervals intersect.
//
// # Source
//
// G. Ricart, A. K. Agrawala, "An optimal algorithm for mutual exclusion in
// computer networks", Communications of the ACM 24(1), 1981, 9-17.
//
// The problem is that of F. Mattern, Verteilte Algorithmen, 1999/2000 (slide
// "Klassifikation: Token ⇔ Request"): there can be no token for an interval that is not known
// in advance, and nodes that create one would have to exclude each other meanwhile. Requests need
// no token. The slide has no rules; these are the published ones, with an interval in each
// request.
//
// # Messages
//
//	Request{Of, From, To}   node Of.ID asks for the interval from From to To
//	Reply{To}               the sender agrees to the request To
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
// A node knows its own interval, and those of others only from their requests.
//
// # Properties
//
// Two nodes whose intervals intersect are never inside at the same time: of two concurrent
// requests, the older node replies to the younger only on exit. A node never defers its reply
// to one whose interval does not intersect with its own, so that several may be inside: the
// nodes are a [messaging.Sharer].
//
// Starvation-free. Entries whose intervals intersect follow the order of the stamps. An
// entry always takes 2(N-1) messages, since any other node might need the interval. The
// synchronization delay is T. A node that crashes blocks all that ask.
package intervals

import (
	"fmt"
	"slices"

	"example.org/doorway/messaging"
)

// An Interval is what a node needs: all x with From <= x < To, in a unit of the caller's choice,
// such as minutes, seats, or the bytes of a file. From must be less than To.
type Interval struct{ From, To int64 }

// intersects reports whether i and j have a point in common. Those that adjoin have none.
func (i Interval) intersects(j Interval) bool { return i.From < j.To && j.From < i.To }

// The messages, as above.
type (
	// Of.Time is never 0.
	request struct {
		Of       messaging.Stamp
		From, To int64
	}

	reply struct{ To messaging.Stamp }
)

// Protocol is the algorithm, for hosts that are told which one to run. Node i needs the
// interval from i to i+2, which intersects with those of the nodes before and after it.
var Protocol = messaging.Protocol{
	Name: "intervals",
	New: func(n int) (messaging.Algorithm, error) {
		needs := make([]Interval, n)
		for i := range needs {
			needs[i] = Interval{int64(i), int64(i) + 2}
		}
		return New(needs), nil
	},
	Kinds: []messaging.Message{request{}, reply{}},
}

// New returns the algorithm in which node i needs the interval needs[i] whenever it enters.
// Its nodes implement [messaging.Sharer] and [messaging.Withdrawer]. New panics if an
// interval is empty; the algorithm panics if it is started with a number of nodes other than
// len(needs).
func New(needs []Interval) messaging.Algorithm {
	for i, need := range needs {
		if need.From >= need.To {
			panic(fmt.Sprintf("intervals: node %d needs the interval from %d to %d: it must end after it begins", i, need.From, need.To))
		}
	}
	needs = slices.Clone(needs)
	return func(start messaging.Start) messaging.Node {
		if start.Nodes != len(needs) {
			panic(fmt.Sprintf("intervals: node %d of %d: the intervals are those of %d nodes", start.Self, start.Nodes, len(needs)))
		}
		return &node{
			start: start, needs: needs[start.Self], all: needs,
			Deferred: make([]messaging.Time, start.Nodes),
		}
	}
}

type node struct {
	start messaging.Start
	needs Interval
	all   []Interval // by node, only for Excludes

	Phase    messaging.Phase
	Highest  messaging.Clock
	Mine     messaging.Stamp
	Replies  int
	Deferred []messaging.Time
}

func (n *node) Excludes(other messaging.ID) bool { return n.needs.intersects(n.all[other]) }

func (n *node) Request(out messaging.Out) {
	n.Phase, n.Mine = messaging.Waiting, n.Highest.Tick(n.start.Self)
	var request messaging.Message = request{n.Mine, n.needs.From, n.needs.To}
	for j := range n.start.Others() {
		out.Send(j, request)
	}
	n.enterIfAgreed(out)
}

func (n *node) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if why := n.impossible(from, m); why != "" {
		messaging.Refuse("intervals", n.start.Self, from, m, why)
	}
	switch m := m.(type) {
	case request:
		n.Highest.Witness(m.Of)
		first := n.Phase == messaging.Inside || n.Phase == messaging.Waiting && n.Mine.Before(m.Of)
		if first && n.needs.intersects(Interval{m.From, m.To}) {
			n.Deferred[from] = max(n.Deferred[from], m.Of.Time) // of two, the older was withdrawn
		} else {
			out.Send(from, reply{m.Of})
		}
	case reply:
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
			out.Send(messaging.ID(j), reply{messaging.Stamp{Time: t, ID: messaging.ID(j)}})
		}
	}
}

// Withdraw replies to all deferred requests. Replies to the withdrawn request that are
// still in transit are stale.
func (n *node) Withdraw(out messaging.Out) { n.Release(out) }
