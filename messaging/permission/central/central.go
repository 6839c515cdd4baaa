// Package central is mutual exclusion by a coordinator: one node keeps the queue
// of all that want to enter.
//
// # Source
//
// No single paper; as in H. P. Reiser, "Verteilte Algorithmen", Erlangen 2002, slide
// 5.5, and in A. S. Tanenbaum's textbooks. Which node is the coordinator is up to
// [messaging.Start].Holder.
//
// # Messages
//
//	Request{Of}   node Of.ID asks the coordinator for the critical section
//	Reply{To}     the coordinator lets the request To enter
//	Release{Of}   the request Of has left
//	Cancel{Of}    the request Of was given up
//
// The coordinator sends these to itself too when it wants to enter, and that
// costs nothing.
//
// # State
//
// Of every node:
//
//	Phase    idle, waiting or inside
//	Mine     the last request of this node; its time only counts them
//
// Of the coordinator:
//
//	Holder   the request that may be inside; zero: none
//	Queue    those that wait, in the order in which they came
//	Queued   by node, the time of its request in the queue; 0: none
//	Newest   by node, the time of its newest request that is known of; 0: none
//
// Links need not be FIFO. A node has one request at a time: one that is newer says
// that all before it are over, even where a Release or Cancel is still under way,
// and one that is not newer was cancelled before it came. So one time for each
// node is all that has to be remembered of the past, and the queue never has two
// requests of a node.
//
// # Properties
//
// Exclusion: only the Holder is inside. A Reply may cross a Cancel; the
// coordinator takes the Cancel for a release, and the node drops the Reply.
//
// Requests enter in the order in which they come to the coordinator, which need
// not be that in which they were made, even if one was the cause of the other;
// it is starvation-free. An entry of a client takes 3 messages, always; one of the
// coordinator takes none. (Mattern, "Verteilte Algorithmen" 1999/2000, counts 2,
// without the Release.) From an exit to the next entry it takes two message
// delays, the Release and the Reply; one, if the coordinator is the next or the
// last. A crash of the coordinator, or of a node that has asked and not left, blocks
// all sooner or later; any other blocks none.
package central

import (
	"slices"

	"example.org/doorway/messaging"
)

// Request asks the coordinator for the critical section.
type Request struct{ Of messaging.Stamp }

// Reply is the coordinator's permission for the request To.
type Reply struct{ To messaging.Stamp }

// Release tells the coordinator that the request Of has left.
type Release struct{ Of messaging.Stamp }

// Cancel tells the coordinator that the request Of was given up.
type Cancel struct{ Of messaging.Stamp }

// Kinds returns a message of each kind.
func Kinds() []messaging.Message {
	return []messaging.Message{Request{}, Reply{}, Release{}, Cancel{}}
}

// New returns node start.Self; start.Holder is the coordinator. It is a
// [messaging.Algorithm], and its nodes can withdraw.
func New(start messaging.Start) messaging.Exclusion {
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
	out.Send(n.start.Holder, Request{n.Mine})
}

func (n *node) Release(out messaging.Out) {
	n.Phase = messaging.Idle
	out.Send(n.start.Holder, Release{n.Mine})
}

// Withdraw takes the request back: it leaves the queue, or the reply to it is
// dropped where it comes and the Cancel is its release.
func (n *node) Withdraw(out messaging.Out) {
	n.Phase = messaging.Idle
	out.Send(n.start.Holder, Cancel{n.Mine})
}

func (n *node) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if why := n.impossible(from, m); why != "" {
		messaging.Refuse("central", n.start.Self, from, m, why)
	}
	switch m := m.(type) {
	case Request:
		n.asked(m.Of, out)
	case Release:
		n.over(m.Of, out)
	case Cancel:
		n.Newest[from] = max(n.Newest[from], m.Of.Time) // it may have overtaken its request
		n.over(m.Of, out)
	case Reply:
		if n.Phase == messaging.Waiting && m.To == n.Mine {
			n.Phase = messaging.Inside
			out.Enter()
		}
	}
}

// asked lets the request r in, or puts it at the end of the queue: one that has to
// wait gets no answer yet.
func (n *node) asked(r messaging.Stamp, out messaging.Out) {
	if r.Time <= n.Newest[r.ID] {
		return // its Cancel has overtaken it, or a later request has
	}
	n.Newest[r.ID] = r.Time
	n.over(messaging.Stamp{Time: r.Time - 1, ID: r.ID}, out)
	n.Queue = append(n.Queue, r)
	n.Queued[r.ID] = r.Time
	if n.Holder.IsZero() {
		n.next(out)
	}
}

// over ends the request r and all before it of the same node, wherever they are;
// if they are gone already, nothing happens.
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

// next lets in the first of the queue.
func (n *node) next(out messaging.Out) {
	n.Holder = messaging.Stamp{}
	if len(n.Queue) > 0 {
		n.Holder = n.Queue[0]
		if len(n.Queue) == 1 {
			n.Queue = n.Queue[:0] // the array is used again
		} else {
			n.Queue = n.Queue[1:]
		}
		n.Queued[n.Holder.ID] = 0
		out.Send(n.Holder.ID, Reply{n.Holder})
	}
}
