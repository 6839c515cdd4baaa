// Package sanders implements the algorithm of Sanders: the nodes that a node asks before
// it enters and the nodes that it informs of its exit are two sets, and any [Structure]
// of such sets that satisfies one condition is correct. Algorithms that ask all nodes, a
// quorum or a coordinator are special cases.
//
// # Source
//
// B. A. Sanders, "The information structure of distributed mutual exclusion
// algorithms", ACM Transactions on Computer Systems 5(3), 1987, 284-299.
//
// # Sets
//
//	R_i    the request set: the nodes whose locks i requests
//	I_i    the inform set: the nodes that i informs of its exit; a subset of R_i, with i in it
//	St_i   the status set {j | i in I_j}: the nodes that inform i of their exits
//
// For all i ≠ j, I_i and I_j intersect, or j is in R_i and i in R_j.
//
// # Messages
//
//	Request{Of}      node Of.ID requests the receiver's lock
//	Locked{To}       the sender's lock is granted to request To
//	Release{Of}      Of is over
//	Failed{To}       at the sender, an older request precedes To
//	Inquire{To}      the sender asks for its lock back, for a request older than To
//	Relinquish{Of}   Of gives the lock back and waits for it again
//
// Links need not be FIFO: each message names its request, and stale messages are
// ignored.
//
// # State
//
// A requester has
//
//	Phase      idle, waiting or inside
//	Highest    the largest time in any request seen, its own included
//	Mine       its latest request
//	Got        the nodes whose locks Mine has
//	Failed     the nodes that last replied Failed, or whose lock was relinquished
//	Inquired   the nodes whose Inquire is unanswered; leaving answers it
//
// and a node that is asked
//
//	Busy       the request that has the lock and will report its exit; zero: the lock is free
//	Inquiring  whether Busy was sent an Inquire
//	Waiting    the requests that wait for the lock
//	Over       by node, the time of its latest request that is known to be over
//
// # Properties
//
// Mutual exclusion: a node grants its lock to no other request while it is Busy. If two
// inform sets share a node, that node admits one request at a time; if two nodes ask
// each other, each has its own lock first and so delays the other.
//
// Starvation-free. Locks granted crosswise would deadlock; the solution is Maekawa's
// (Reiser 2002, slide 5.26, says that it is analogous, and the slides print the rules
// without it: see the variant sanders/printed of [example.org/doorway/catalog]).
//
// An entry of node i takes at least |I_i-{i}| + 2|R_i-{i}| messages, and exactly these
// if uncontended; for the maximum, see [Structure.Messages]. The synchronization delay is T
// if the locks that the entering node waits for are its own or the leaving node's,
// otherwise 2T.
package sanders

import (
	"fmt"

	"example.org/doorway/internal/node/requests"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/quorum"
)

// The messages, as above.
type (
	request    struct{ Of messaging.Stamp }
	locked     struct{ To messaging.Stamp }
	release    struct{ Of messaging.Stamp }
	failed     struct{ To messaging.Stamp }
	inquire    struct{ To messaging.Stamp }
	relinquish struct{ Of messaging.Stamp }
)

// Protocol is the algorithm with the structure of Maekawa's and the quorums of quorum.New.
var Protocol = messaging.Protocol{
	Name: "sanders",
	New: func(n int) (messaging.Algorithm, error) {
		q, err := quorum.New(n)
		if err != nil {
			return nil, err
		}
		sets := make([][]messaging.ID, n)
		for i := range sets {
			sets[i] = q.Of(messaging.ID(i))
		}
		return New(Maekawa(sets)), nil
	},
	Kinds: []messaging.Message{request{}, locked{}, release{}, failed{}, inquire{}, relinquish{}},
}

// New returns the algorithm for structure s. Its nodes implement
// [messaging.Withdrawer]. New panics if s.Check() returns an error; the algorithm
// panics if it is started with a number of nodes other than s.Nodes().
func New(s Structure) messaging.Algorithm {
	if err := s.Check(); err != nil {
		panic(err.Error())
	}
	s = s.clone()
	status := s.statuses()
	return func(start messaging.Start) messaging.Node {
		if start.Nodes != s.Nodes() {
			panic(fmt.Sprintf("sanders: node %d of %d: the structure is for %d nodes", start.Self, start.Nodes, s.Nodes()))
		}
		return &node{
			self:    start.Self,
			request: s.Request[start.Self],
			inform:  s.Inform[start.Self],
			status:  messaging.SetOf(status[start.Self]...),
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
	n.send(n.request, request{n.Mine}, out)
}

// Release informs the inform set.
func (n *node) Release(out messaging.Out) { n.exit(n.inform, out) }

// Withdraw informs the whole request set: at a node outside the inform set too, the
// request may wait, and other requests would relinquish locks for it in vain.
func (n *node) Withdraw(out messaging.Out) { n.exit(n.request, out) }

func (n *node) exit(tell []messaging.ID, out messaging.Out) {
	n.Phase = messaging.Idle
	clear(n.Got)
	clear(n.Failed)
	clear(n.Inquired)
	n.send(tell, release{n.Mine}, out)
}

func (n *node) send(to []messaging.ID, m messaging.Message, out messaging.Out) {
	for _, j := range to {
		out.Send(j, m)
	}
}

// Receive handles messages to a requester and to a node that is asked.
//
// A requester that has a lock for which an older request waits relinquishes it as soon
// as it knows that it must wait for another lock. So every request that must wait gets a
// Failed, including one that was first in the queue without any reply when an older
// one comes. A node that gets an Inquire before it has the lock, or before it knows that
// it must wait, remembers it and answers then.
func (n *node) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if why := n.impossible(from, m); why != "" {
		messaging.Refuse("sanders", n.self, from, m, why)
	}
	switch m := m.(type) {
	case request:
		n.Highest.Witness(m.Of)
		if !n.over(m.Of) { // else its Release overtook it
			n.enqueue(m.Of, out)
		}
	case relinquish:
		if !n.over(m.Of) {
			n.Waiting.Insert(m.Of)
			n.Busy = messaging.Stamp{}
			n.serve(out)
		}
	case release:
		n.Over[from] = max(n.Over[from], m.Of.Time)
		n.Waiting.Remove(m.Of) // if it is there, it was withdrawn
		if n.Busy == m.Of {
			n.Busy = messaging.Stamp{}
			n.serve(out)
		}
	case locked:
		if n.waits(m.To) {
			n.Got.Add(from)
			n.Failed.Remove(from)
			n.enterOrRelinquish(out)
		}
	case failed:
		if n.waits(m.To) && !n.Got.Has(from) { // else a later Locked overtook it
			n.Failed.Add(from)
			n.enterOrRelinquish(out)
		}
	case inquire:
		if n.waits(m.To) {
			n.Inquired.Add(from)
			n.enterOrRelinquish(out)
		}
	}
}

// enqueue grants x the lock if it is free, and queues it otherwise. Of x, the request
// that has the lock and the previous first of the queue, all but the oldest learn that
// they are not the oldest. The previous first knows it already unless it is older than
// the request that has the lock.
func (n *node) enqueue(x messaging.Stamp, out messaging.Out) {
	first := n.Waiting.First()
	n.Waiting.Insert(x)
	switch {
	case n.Busy.IsZero():
		n.serve(out)
	case n.Busy.Before(x) || n.Waiting.First() != x:
		out.Send(x.ID, failed{x})
	default:
		if !first.IsZero() && first.Before(n.Busy) {
			out.Send(first.ID, failed{first})
		}
		if !n.Inquiring {
			n.Inquiring = true
			out.Send(n.Busy.ID, inquire{n.Busy})
		}
	}
}

// serve grants the lock to the oldest waiting requests in turn, until one has it whose
// exit will be reported to this node. The slides have an "if" where a request arrives
// and a "while" where a release does (Reiser 2002, slides 5.25 and 5.26): both are the
// same, since no request waits at a node that is free.
func (n *node) serve(out messaging.Out) {
	for n.Busy.IsZero() && len(n.Waiting) > 0 {
		y := n.Waiting.Pop()
		out.Send(y.ID, locked{y})
		if n.status.Has(y.ID) {
			n.Busy, n.Inquiring = y, false
		}
	}
}

// enterOrRelinquish enters if the node has all locks. Otherwise, if an older request
// precedes it somewhere, it relinquishes the locks that were inquired for, but only
// those that have arrived: an INQUIRE may overtake the LOCKED that it is about, and to
// relinquish a lock that is still in transit lets two nodes enter.
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
			out.Send(j, relinquish{n.Mine})
		}
	}
}

// waits reports whether r is this node's request and still waits.
func (n *node) waits(r messaging.Stamp) bool { return n.Phase == messaging.Waiting && n.Mine == r }

// over reports whether r or a later request of its node is known to be over.
func (n *node) over(r messaging.Stamp) bool { return r.Time <= n.Over[r.ID] }
