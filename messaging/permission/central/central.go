// Package central implements mutual exclusion by a coordinator: one node keeps the queue
// of all requests.
//
// # Source
//
// No single paper; as in H. P. Reiser, "Verteilte Algorithmen", Erlangen 2002, slide
// 5.5, and in A. S. Tanenbaum's textbooks. The coordinator is [messaging.Start].Holder.
//
// # Messages
//
//	Request{Of}   node Of.ID asks the coordinator for the critical section
//	Reply{To}     the coordinator grants the request To
//	Release{Of}   the request Of has left
//	Cancel{Of}    the request Of was withdrawn
//
// The coordinator sends these to itself too when it wants to enter, at no cost.
//
// # State
//
// Every node has
//
//	Phase    idle, waiting or inside
//	Mine     its latest request; its time only counts them
//
// and the coordinator
//
//	Holder   the request that is granted; zero: none
//	Queue    the waiting requests, in the order of their arrival
//	Queued   by node, the time of its request in the queue; 0: none
//	Newest   by node, the time of its newest known request; 0: none
//
// Links need not be FIFO. A node has one request at a time, so a newer one implies that
// all earlier ones are over, even if a Release or Cancel is still in transit, and one
// that is not newer was cancelled before it arrived. So one time for each node is all
// that the coordinator must remember, and the queue has at most one request of a node.
//
// # Properties
//
// Mutual exclusion: only the Holder is inside. If a Reply crosses a Cancel, the
// coordinator treats the Cancel as a release, and the node drops the Reply.
//
// Starvation-free. Entries follow the order in which the requests reach the
// coordinator, not the order in which they were made, even if one caused the other. An
// entry of a client always takes 3 messages, an entry of the coordinator none.
// (Mattern, "Verteilte Algorithmen" 1999/2000, counts 2, without the Release.) The
// synchronization delay is 2T, Release and Reply; T if the coordinator is the node that
// enters or leaves. A crash of the coordinator, or of a node that has requested and not
// left, eventually blocks all nodes; any other crash blocks none.
package central

import (
	"slices"

	"example.org/doorway/messaging"
)

// The messages, as above.
type (
	request struct{ Of messaging.Stamp }
	reply   struct{ To messaging.Stamp }
	release struct{ Of messaging.Stamp }
	cancel  struct{ Of messaging.Stamp }
)

// Protocol is the algorithm, for hosts that are told which one to run.
var Protocol = messaging.Protocol{
	Name:  "central",
	New:   func(int) (messaging.Algorithm, error) { return New, nil },
	Kinds: []messaging.Message{request{}, reply{}, release{}, cancel{}},
}

// New returns node start.Self; start.Holder is the coordinator. It is a
// [messaging.Algorithm], and its nodes implement [messaging.Withdrawer].
func New(start messaging.Start) messaging.Node {
	n := &node{start: start, Mine: messaging.Stamp{ID: start.Self}}
	if start.Self == start.Holder {
		n.Newest, n.Queued = make([]messaging.Time, start.Nodes), make([]messaging.Time, start.Nodes)
	}
	return n
}

type node struct {
	start messaging.Start

	Phase messaging.Phase
	Mine  messaging.Stamp

	Holder messaging.Stamp
	Queue  []messaging.Stamp
	Queued []messaging.Time
	Newest []messaging.Time
}

func (n *node) Request(out messaging.Out) {
	n.Mine.Time++
	n.Phase = messaging.Waiting
	out.Send(n.start.Holder, request{n.Mine})
}

func (n *node) Release(out messaging.Out) {
	n.Phase = messaging.Idle
	out.Send(n.start.Holder, release{n.Mine})
}

// Withdraw cancels the request: the coordinator removes it from the queue or, if it
// was granted, treats the Cancel as its release; the node drops the Reply.
func (n *node) Withdraw(out messaging.Out) {
	n.Phase = messaging.Idle
	out.Send(n.start.Holder, cancel{n.Mine})
}

func (n *node) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if why := n.impossible(from, m); why != "" {
		messaging.Refuse("central", n.start.Self, from, m, why)
	}
	switch m := m.(type) {
	case request:
		n.asked(m.Of, out)
	case release:
		n.over(m.Of, out)
	case cancel:
		n.Newest[from] = max(n.Newest[from], m.Of.Time) // it may have overtaken its Request
		n.over(m.Of, out)
	case reply:
		if n.Phase == messaging.Waiting && m.To == n.Mine {
			n.Phase = messaging.Inside
			out.Enter()
		}
	}
}

// asked queues the request r, and grants it if there is no holder. A request that must
// wait gets no reply yet.
func (n *node) asked(r messaging.Stamp, out messaging.Out) {
	if r.Time <= n.Newest[r.ID] {
		return // its Cancel or a later request overtook it
	}
	n.Newest[r.ID] = r.Time
	n.over(messaging.Stamp{Time: r.Time - 1, ID: r.ID}, out)
	n.Queue = append(n.Queue, r)
	n.Queued[r.ID] = r.Time
	if n.Holder.IsZero() {
		n.next(out)
	}
}

// over ends the request r and all earlier ones of its node, queued or granted.
func (n *node) over(r messaging.Stamp, out messaging.Out) {
	if t := n.Queued[r.ID]; t != 0 && t <= r.Time {
		i := slices.Index(n.Queue, messaging.Stamp{Time: t, ID: r.ID})
		n.Queue = slices.Delete(n.Queue, i, i+1)
		n.Queued[r.ID] = 0
	}
	if n.Holder.ID == r.ID && n.Holder.Time <= r.Time && !n.Holder.IsZero() {
		n.next(out)
	}
}

// next grants the first request of the queue.
func (n *node) next(out messaging.Out) {
	n.Holder = messaging.Stamp{}
	if len(n.Queue) > 0 {
		n.Holder = n.Queue[0]
		if len(n.Queue) == 1 {
			n.Queue = n.Queue[:0] // reuse the array
		} else {
			n.Queue = n.Queue[1:]
		}
		n.Queued[n.Holder.ID] = 0
		out.Send(n.Holder.ID, reply{n.Holder})
	}
}
