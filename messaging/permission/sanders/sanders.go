// Package sanders is the algorithm of Sanders: the nodes that one asks before it
// enters and those that it tells when it has left are two sets, and any [Structure]
// of such sets that meets one condition will do. Algorithms that ask all nodes, a
// quorum or a coordinator are structures among others.
//
// # Source
//
// B. A. Sanders, "The information structure of distributed mutual exclusion
// algorithms", ACM Transactions on Computer Systems 5(3), 1987, 284-299.
//
// # Sets
//
//	R_i    the request set: the nodes that i asks, and that must give it their locks
//	I_i    the inform set: those it tells that it has left; a part of R_i with i in it
//	St_i   the status set {j | i in I_j}: of whose exits node i is told
//
// For all i ≠ j, I_i and I_j have a member in common, or j is in R_i and i in R_j.
//
// # Messages
//
//	Request{Of}      node Of.ID asks for the critical section
//	Locked{To}       the sender's lock goes to the request To
//	Release{Of}      the request Of is over
//	Failed{To}       an older request goes before To at the sender
//	Inquire{To}      the sender wants its lock back, for a request older than To
//	Relinquish{Of}   the sender's request Of gives the lock back, and waits for it again
//
// Links need not be FIFO. A message names the request that it is about, and stale
// messages are ignored.
//
// # State
//
// Of a node that asks:
//
//	Phase      idle, waiting or inside
//	Highest    the largest time seen in a request, one's own included
//	Mine       the last request of this node; it is out while waiting
//	Got        whose locks it has
//	Failed     the nodes that last replied Failed: an older request goes first
//	Inquired   the nodes that want the lock back, and got no answer yet; leaving is one
//
// Of a node that is asked:
//
//	Busy       the request that has the lock, and whose exit this node will be told of; zero: free
//	Inquiring  whether it was asked to give the lock back
//	Waiting    the requests that wait for the lock
//	Over       by node, the time of its latest request that is known to be over
//
// # Properties
//
// Exclusion: a node of which a request has the lock, and that will be told of its
// exit, gives the lock to no other. If two nodes have a member of their inform
// sets in common, it admits one of them at a time; if they ask each other, each has
// its own lock first, and so holds up the other.
//
// Starvation-free. Locks that are handed out crosswise would deadlock; the solution
// is analogous to Maekawa's (Reiser 2002, slide 5.26): a node that has a lock that an
// older request wants gives it back as soon as it knows that it must wait for another
// lock. The variant sanders/printed of [example.org/doorway/catalog] leaves this
// out. Every request that must wait has to be told, also one that waited in front of
// all others, which was told nothing, when an older one comes. A node that is
// inquired of before it has the lock, or before it knows that it must wait, makes a
// note and answers then.
//
// An entry of node i takes at least |I_i-{i}| + 2|R_i-{i}| messages, and no more
// if no other asks; for the most, see [Structure.Messages]. From an exit to the
// next entry it takes one message delay if the locks that the enterer waits for
// are the leaver's or its own, otherwise two.
package sanders

import (
	"fmt"

	"example.org/doorway/internal/requests"
	"example.org/doorway/messaging"
)

// Request asks for a lock.
type Request struct{ Of messaging.Stamp }

// Locked gives the sender's lock to the request To.
type Locked struct{ To messaging.Stamp }

// Release says that the request Of is over.
type Release struct{ Of messaging.Stamp }

// Failed says that To waits behind an older request.
type Failed struct{ To messaging.Stamp }

// Inquire asks To for the lock that it has.
type Inquire struct{ To messaging.Stamp }

// Relinquish gives a lock back that was inquired for; the request Of waits again.
type Relinquish struct{ Of messaging.Stamp }

// Kinds returns a message of each kind.
func Kinds() []messaging.Message {
	return []messaging.Message{Request{}, Locked{}, Release{}, Failed{}, Inquire{}, Relinquish{}}
}

// New returns the algorithm for that structure. Its nodes can withdraw. It
// panics if [Structure.Check] finds a fault, and the algorithm does if it is
// started with a number of nodes that is not the structure's.
func New(s Structure) messaging.Algorithm {
	if err := s.Check(); err != nil {
		panic(err.Error())
	}
	s = s.clone()
	return func(start messaging.Start) messaging.Exclusion {
		if start.Nodes != s.Nodes() {
			panic(fmt.Sprintf("sanders: node %d of %d: the structure is for %d nodes", start.Self, start.Nodes, s.Nodes()))
		}
		return &node{
			self:    start.Self,
			request: s.Request[start.Self],
			inform:  s.Inform[start.Self],
			status:  messaging.SetOf(s.Status(start.Self)...),
			Over:    make([]messaging.Time, start.Nodes),
		}
	}
}

type node struct {
	self            messaging.ID
	request, inform []messaging.ID
	status          messaging.Set

	Phase    messaging.Phase
	Highest  messaging.Clock
	Mine     messaging.Stamp
	Got      messaging.Set
	Failed   messaging.Set
	Inquired messaging.Set

	Busy      messaging.Stamp
	Inquiring bool
	Waiting   requests.Queue
	Over      []messaging.Time
}

func (n *node) Request(out messaging.Out) {
	n.Phase, n.Mine = messaging.Waiting, n.Highest.Tick(n.self)
	n.send(n.request, Request{n.Mine}, out)
}

// Release tells the inform set.
func (n *node) Release(out messaging.Out) { n.leave(n.inform, out) }

// Withdraw tells the whole request set. Where the request waits, also at a node
// that need not be told of the exit, locks would be given back for it in vain.
func (n *node) Withdraw(out messaging.Out) { n.leave(n.request, out) }

func (n *node) leave(tell []messaging.ID, out messaging.Out) {
	n.Phase = messaging.Idle
	clear(n.Got)
	clear(n.Failed)
	clear(n.Inquired)
	n.send(tell, Release{n.Mine}, out)
}

func (n *node) send(to []messaging.ID, m messaging.Message, out messaging.Out) {
	for _, j := range to {
		out.Send(j, m)
	}
}

func (n *node) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if why := n.impossible(from, m); why != "" {
		messaging.Refuse("sanders", n.self, from, m, why)
	}
	switch m := m.(type) {
	case Request:
		n.Highest.Witness(m.Of)
		if !n.over(m.Of) { // else a Release has overtaken it
			n.enqueue(m.Of, out)
		}
	case Relinquish:
		if !n.over(m.Of) {
			n.Waiting.Insert(m.Of)
			n.Busy = messaging.Stamp{}
			n.serve(out)
		}
	case Release:
		n.Over[from] = max(n.Over[from], m.Of.Time)
		n.Waiting.Remove(m.Of) // it was withdrawn, if it is there
		if n.Busy == m.Of {
			n.Busy = messaging.Stamp{}
			n.serve(out)
		}
	case Locked:
		if n.waits(m.To) {
			n.Got.Add(from)
			n.Failed.Remove(from)
			n.enterOrRelinquish(out)
		}
	case Failed:
		if n.waits(m.To) && !n.Got.Has(from) { // a lock takes the word back
			n.Failed.Add(from)
			n.enterOrRelinquish(out)
		}
	case Inquire:
		if n.waits(m.To) {
			n.Inquired.Add(from)
			n.enterOrRelinquish(out)
		}
	}
}

// enqueue has x wait for the lock, and serves it at once if the lock is free.
// Otherwise, of x, the request that has the lock and the one that waited first,
// all but the oldest learn that they are not the oldest. The first knows it
// already unless it is older than the one that has the lock.
func (n *node) enqueue(x messaging.Stamp, out messaging.Out) {
	first := n.Waiting.First()
	n.Waiting.Insert(x)
	switch {
	case n.Busy.IsZero():
		n.serve(out)
	case n.Busy.Before(x) || n.Waiting.First() != x:
		out.Send(x.ID, Failed{x})
	default:
		if !first.IsZero() && first.Before(n.Busy) {
			out.Send(first.ID, Failed{first})
		}
		if !n.Inquiring {
			n.Inquiring = true
			out.Send(n.Busy.ID, Inquire{n.Busy})
		}
	}
}

// serve gives the lock to the oldest that wait, until one has it of whose exit
// this node will be told. The slides have an "if" where a request comes and a
// "while" where a release does (Reiser 2002, slides 5.25 and 5.26): the same, for
// no request waits at a node that is free.
func (n *node) serve(out messaging.Out) {
	for n.Busy.IsZero() && len(n.Waiting) > 0 {
		y := n.Waiting.Pop()
		out.Send(y.ID, Locked{y})
		if n.status.Has(y.ID) {
			n.Busy, n.Inquiring = y, false
		}
	}
}

// enterOrRelinquish enters if all have locked; otherwise, if an older
// request goes first somewhere, it gives back the locks that are wanted back. Only
// those that are here: an INQUIRE may overtake the LOCKED that it is about, and to
// give back what then comes after all lets two enter.
func (n *node) enterOrRelinquish(out messaging.Out) {
	if n.Got.Len() == len(n.request) {
		n.Phase = messaging.Inside
		out.Enter()
		return
	}
	if n.Failed.Len() == 0 {
		return
	}
	for j := range n.Inquired.All() {
		if n.Got.Has(j) {
			n.Inquired.Remove(j)
			n.Got.Remove(j)
			n.Failed.Add(j)
			out.Send(j, Relinquish{n.Mine})
		}
	}
}

// waits reports whether r is this node's request, and waits.
func (n *node) waits(r messaging.Stamp) bool { return n.Phase == messaging.Waiting && n.Mine == r }

// over reports whether the node of r has said that r, or a later request, is over.
func (n *node) over(r messaging.Stamp) bool { return r.Time <= n.Over[r.ID] }
