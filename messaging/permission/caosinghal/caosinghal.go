// Package caosinghal implements the algorithm of Cao and Singhal: Maekawa's, except
// that each lock is forwarded to its successor on exit. The synchronization delay is
// therefore T, the minimum, instead of 2T, if critical sections last long enough for
// every node to learn its successors.
//
// # Source
//
// G. Cao, M. Singhal, "A delay-optimal quorum-based mutual exclusion algorithm
// for distributed systems", IEEE Transactions on Parallel and Distributed Systems
// 12(12), 2001, 1256-1268.
//
// # Messages
//
//	Request{Of}                  node Of.ID requests the receiver's lock
//	Locked{To, Arbiter, Version} node Arbiter's lock is granted to request To
//	Failed{To}                   at the sender, an older request precedes To
//	Transfer{To, Next, Inquire, Version}
//	                             on exit, To is to forward the sender's lock to request Next;
//	                             with Inquire, Next is older than To and needs the lock now
//	Yield{Of}                    Of gives the lock back and waits for it again
//	Release{Of, Next}            Of is over and has forwarded the lock to Next (zero: to none)
//
// A Locked comes from its arbiter or from the previous holder of the lock, so even on
// FIFO links it may arrive after later messages of the arbiter. Links need not be
// FIFO: each message names its request, and stale messages are ignored.
//
// # State
//
// A requester has
//
//	Phase      idle, waiting or inside
//	Highest    the largest time in any request seen, its own included
//	Mine       its latest request
//	Got        the arbiters whose locks Mine has
//	Failed     the arbiters that last replied Failed, or were sent a Yield
//	Inquired   the arbiters whose Inquire is unanswered; leaving answers it
//	Next       by position in the quorum, the request to forward that lock to
//
// and an arbiter
//
//	Lock       the request that has the lock, as far as is known; zero: none
//	Waiting    the other requests
//	Inquiring  whether the holder of the lock was sent an Inquire
//	Version    the number of Transfers since the lock was last free
//	Over       by node, the time of its latest request that is over
//
// # Properties
//
// Mutual exclusion: each arbiter has one lock, which is at the arbiter, at one
// request or in transit, and any two quorums share an arbiter. Starvation-free as
// Maekawa's algorithm: a younger request that is not inside yields to an older one.
// Entries mostly follow the order of the stamps, but not always.
//
// With quorums of K nodes that contain the node itself, an uncontended entry takes
// 3(K-1) messages; without the node itself, 3K. Under contention it mostly takes
// 5(K-1), as each arbiter may send a Transfer and a Failed, and usually at most 6(K-1)
// (Reiser 2002, slide 5.36). A single entry has no bound: a lock may be yielded more
// than once. The synchronization delay is T if the Transfers arrive before the exit,
// otherwise 2T. A crash blocks all nodes whose quorums contain the crashed one.
package caosinghal

import (
	"fmt"
	"slices"

	"example.org/doorway/internal/node/requests"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/quorum"
)

// The messages, as above.
type (
	request struct{ Of messaging.Stamp } // Of.Time is never 0

	// Version is that of the Transfer by which it was forwarded, or the latest of the Arbiter if the Arbiter sends it.
	locked struct {
		To      messaging.Stamp
		Arbiter messaging.ID
		Version uint64
	}

	failed struct{ To messaging.Stamp }

	// It counts unless a Transfer of a larger version has come.
	transfer struct {
		To      messaging.Stamp
		Next    messaging.Stamp
		Inquire bool // if To must wait for another lock, it is to yield this one
		Version uint64
	}

	yield   struct{ Of messaging.Stamp }
	release struct{ Of, Next messaging.Stamp }
)

// Protocol is the algorithm with the quorums of quorum.New.
var Protocol = messaging.Protocol{
	Name: "caosinghal",
	New: func(n int) (messaging.Algorithm, error) {
		q, err := quorum.New(n)
		return New(q), err
	},
	Kinds: []messaging.Message{request{}, locked{}, failed{}, transfer{}, yield{}, release{}},
}

// New returns the algorithm in which node i requests the locks of the nodes
// quorums.Of(i). Its nodes implement [messaging.Withdrawer]. The algorithm panics if
// it is started with a number of nodes other than quorums.Nodes().
func New(quorums quorum.System) messaging.Algorithm {
	return func(start messaging.Start) messaging.Node {
		if start.Nodes != quorums.Nodes() {
			panic(fmt.Sprintf("caosinghal: node %d is one of %d, but the quorums are for %d nodes (%v)",
				start.Self, start.Nodes, quorums.Nodes(), quorums))
		}
		members := quorums.Of(start.Self)
		return &node{
			self:   start.Self,
			quorum: members,
			Next:   make([]successor, len(members)),
			Over:   make([]messaging.Time, start.Nodes),
		}
	}
}

// A successor is the request that a lock is to be forwarded to; the zero Stamp is
// none. Version is that of the latest Transfer, or of the Locked if that is later.
type successor struct {
	Of      messaging.Stamp
	Version uint64
}

type node struct {
	self   messaging.ID
	quorum []messaging.ID // ascending

	Phase    messaging.Phase
	Highest  messaging.Clock
	Mine     messaging.Stamp
	Got      messaging.Set
	Failed   messaging.Set
	Inquired messaging.Set
	Next     []successor

	Lock      messaging.Stamp
	Waiting   requests.Queue
	Inquiring bool
	Version   uint64
	Over      []messaging.Time
}

func (n *node) Request(out messaging.Out) {
	n.Phase, n.Mine = messaging.Waiting, n.Highest.Tick(n.self)
	for _, q := range n.quorum {
		out.Send(q, request{n.Mine})
	}
}

// Release forwards every lock on behalf of its arbiter, and tells the arbiter. If the
// arbiter itself is next, the Release is enough.
func (n *node) Release(out messaging.Out) {
	for k, q := range n.quorum {
		next := n.Next[k]
		if next.Of.ID == q {
			next.Of = messaging.Stamp{}
		}
		if !next.Of.IsZero() {
			out.Send(next.Of.ID, locked{To: next.Of, Arbiter: q, Version: next.Version})
		}
		out.Send(q, release{Of: n.Mine, Next: next.Of})
	}
	n.forget()
}

// Withdraw releases every lock that has come or may be in transit. A Locked that
// still arrives is dropped here, and its arbiter grants the lock to another request.
func (n *node) Withdraw(out messaging.Out) {
	for _, q := range n.quorum {
		out.Send(q, release{Of: n.Mine})
	}
	n.forget()
}

func (n *node) forget() {
	n.Phase = messaging.Idle
	clear(n.Got)
	clear(n.Failed)
	clear(n.Inquired)
	clear(n.Next)
}

// Receive handles four races.
//
// An Inquire may arrive before the Locked that it is about. It is remembered until
// then: to yield a lock that is still in transit lets two nodes enter (see the variant
// caosinghal/eager of example.org/doorway/catalog).
//
// Of several Transfers of an arbiter the latest counts, which Version identifies. A
// Locked has a version too and supersedes the Transfers before it: if the lock was
// yielded in between, their Next must no longer get it.
//
// A Transfer that arrives after To has left is dropped. The Release tells the arbiter
// whether the lock was forwarded, and to which request. So to ignore a Transfer is
// always safe and costs only delay, but an Inquire must be answered.
//
// The Release of a successor may arrive before the Release that names it. The arbiter
// keeps only that the successor is over (Over). It needs no more: the successor had no
// successor, since an arbiter sends a Transfer only to the request that it knows to
// have the lock.
//
// A lock may be forwarded to a request that was withdrawn. Its node drops the Locked,
// and its Release makes the arbiter grant the lock again, whether it arrives before or
// after the Release that names the request as Next.
func (n *node) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if why := n.impossible(from, m); why != "" {
		messaging.Refuse("caosinghal", n.self, from, m, why)
	}
	switch m := m.(type) {
	case request:
		n.Highest.Witness(m.Of)
		if !n.over(m.Of) { // else its Release overtook it
			n.enqueue(m.Of, out)
		}
	case yield:
		if !n.over(m.Of) {
			n.Waiting.Insert(m.Of)
			n.grant(out)
		}
	case release:
		n.Over[from] = max(n.Over[from], m.Of.Time)
		n.release(m.Of, m.Next, out)
	case locked:
		if n.waits(m.To) {
			n.locked(m.Arbiter, m.Version, out)
		}
	case failed: // a Locked that was sent later may have overtaken it
		if n.waits(m.To) && !n.Got.Has(from) {
			n.Failed.Add(from)
			n.enterOrYield(out)
		}
	case transfer:
		if n.current(m.To) {
			n.transfer(from, m)
		}
		if m.Inquire && n.waits(m.To) {
			n.Inquired.Add(from)
			n.enterOrYield(out)
		}
	}
}

// locked counts the lock of q. A successor that q named before this grant is
// superseded: it was for an earlier grant.
func (n *node) locked(q messaging.ID, version uint64, out messaging.Out) {
	n.Got.Add(q)
	n.Failed.Remove(q)
	if next := &n.Next[n.place(q)]; next.Version <= version {
		*next = successor{Version: version}
	}
	n.enterOrYield(out)
}

func (n *node) transfer(q messaging.ID, m transfer) {
	if next := &n.Next[n.place(q)]; next.Version < m.Version {
		*next = successor{m.Next, m.Version}
	}
}

// enterOrYield enters if the node has all locks. Otherwise, if it knows that it must
// wait for one of them, it yields the locks that older requests wait for.
func (n *node) enterOrYield(out messaging.Out) {
	if n.Got.Len() == len(n.quorum) {
		n.Phase = messaging.Inside
		out.Enter()
		return
	}
	if n.Failed.Len() == 0 {
		return
	}
	for q := range n.Inquired.All() {
		if n.Got.Has(q) { // else its Locked is still in transit
			n.Inquired.Remove(q)
			n.Got.Remove(q)
			n.Failed.Add(q)
			out.Send(q, yield{n.Mine})
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
	if n.Lock.IsZero() {
		n.grant(out)
		return
	}
	if n.Lock.Before(x) || n.Waiting.First() != x {
		out.Send(x.ID, failed{x})
	} else if !first.IsZero() && first.Before(n.Lock) {
		out.Send(first.ID, failed{first})
	}
	if n.Waiting.First() == x {
		n.advise(out)
	}
}

// release records where the lock is once x is over.
func (n *node) release(x, next messaging.Stamp, out messaging.Out) {
	switch {
	case n.Lock == x && n.over(next): // it was not forwarded, or its next holder is over too
		n.grant(out)
	case n.Lock == x:
		n.Waiting.Remove(next)
		n.Lock, n.Inquiring = next, false
		n.advise(out)
	case n.Waiting.First() == x: // withdrawn; or it had the lock and left before the Release that names it came
		n.Waiting.Remove(x)
		n.advise(out)
	default:
		n.Waiting.Remove(x)
	}
}

// grant gives the lock to the oldest waiting request. If there is none, all Transfers
// were to requests that are over, and the versions start again at 0.
func (n *node) grant(out messaging.Out) {
	n.Lock, n.Inquiring = n.Waiting.Pop(), false
	if n.Lock.IsZero() {
		n.Version = 0
		return
	}
	out.Send(n.Lock.ID, locked{To: n.Lock, Arbiter: n.self, Version: n.Version})
	n.advise(out)
}

// advise tells the request that has the lock which is next, and inquires once if the
// next is older. It is called when the lock or the first of the queue changes.
func (n *node) advise(out messaging.Out) {
	next := n.Waiting.First()
	if next.IsZero() {
		return
	}
	inquire := next.Before(n.Lock) && !n.Inquiring
	n.Inquiring = n.Inquiring || inquire
	n.Version++
	out.Send(n.Lock.ID, transfer{To: n.Lock, Next: next, Inquire: inquire, Version: n.Version})
}

// current reports whether r is this node's request and is not over.
func (n *node) current(r messaging.Stamp) bool { return n.Phase != messaging.Idle && n.Mine == r }

// waits reports whether r is this node's request and still waits.
func (n *node) waits(r messaging.Stamp) bool { return n.Phase == messaging.Waiting && n.Mine == r }

// over reports whether r or a later request of its node is known to be over. The zero
// Stamp is over.
func (n *node) over(r messaging.Stamp) bool { return r.Time <= n.Over[r.ID] }

// place returns the position of q in the quorum.
func (n *node) place(q messaging.ID) int {
	k, _ := slices.BinarySearch(n.quorum, q)
	return k
}
