// Package maekawa is the algorithm of Maekawa: a node that wants to enter asks the
// nodes of its quorum only, and each of them agrees to one request at a time. Any two
// quorums have a member in common, and that member decides between the two.
//
// # Source
//
// M. Maekawa, "A √N algorithm for mutual exclusion in decentralized systems",
// ACM Transactions on Computer Systems 3(2), 1985, 145-159, with the correction
// of B. A. Sanders, "The information structure of distributed mutual exclusion
// algorithms", ACM Transactions on Computer Systems 5(3), 1987, 284-299.
//
// # Messages
//
//	Request{Of}     node Of.ID asks for the lock of the receiver
//	Locked{To}      the lock of the sender is for the request To
//	Failed{To}      the lock of the sender is not for To as long as an older request waits
//	Inquire{To}     an older request waits for the lock that To has
//	Relinquish{Of}  Of gives the lock back, and waits for it
//	Release{Of}     Of is over
//
// Links need not be FIFO. Each message names the request that it is about, so
// that stale messages are ignored.
//
// # State
//
// Of a node that asks:
//
//	Phase      idle, waiting or inside
//	Highest    the largest time seen in a request, one's own included
//	Mine       the last request of this node; it is out while waiting
//	Asked      the quorum that was asked for Mine; empty while idle
//	Got        the members whose lock is for Mine
//	Failed     the members that last replied Failed, or whose lock was relinquished
//	Inquired   the members that inquired and have no answer yet
//
// Of a member that is asked:
//
//	Lock       the request that has the lock; zero: none
//	Waiting    the other requests
//	Inquiring  whether the request that has the lock was inquired of
//	Over       by node, the time of its latest request that is over
//
// # Deadlocks
//
// Three that ask at once can each have a lock that the next one needs. So the
// older goes first: a member that is asked by an older request than the one that
// has its lock inquires of that one, which gives the lock back, but only if it
// knows that it cannot enter yet: if another member has told it so by Failed.
// Every request must therefore be told, unless it has the lock or is about to get
// it. A node that gets an Inquire and does not know yet keeps it in mind, and
// answers as soon as it knows, or by Release when it leaves. An Inquire that has
// overtaken its Locked is kept in mind too: to give back a lock that is still on
// its way would let two inside.
//
// What is easily forgotten is the request that waits for the lock in front of all
// others, was therefore not told, and is overtaken by an older one. It must be
// told then. The lectures forget it, and their rules deadlock: see the variants
// maekawa/late-failed and maekawa/lock-only of [example.org/doorway/catalog].
//
// # Properties
//
// Exclusion: two that are inside would both have the lock of a member that their
// quorums have in common.
//
// Requests enter mostly, and not always, in the order of their stamps; a younger
// one that has all its locks is not interrupted. Starvation-free: sooner or later a
// request is the oldest, and gets back every lock from those that are not inside.
//
// With K members in a quorum, the node itself among them, an entry without
// conflict takes 3(K-1) messages; if the node itself is not among them, 3K. With
// conflicts it is mostly up to 4(K-1), for each member may say Failed, or 5(K-1),
// for instead it may inquire, be given the lock and lock again. This is no bound:
// a lock may be given back more than once. There are always as many Locked as K-1
// for each entry, and one for each Relinquish. From an exit to the next entry it
// takes two message delays, Release and Locked; one if the member between the two
// is one of the two. A node that crashes blocks all whose quorums it is in.
package maekawa

import (
	"fmt"

	"example.org/doorway/internal/requests"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/quorum"
)

// Request asks for the receiver's lock. Request{Of} with Of.Time 0 does not occur.
type Request struct{ Of messaging.Stamp }

// Locked says that the sender's lock is for To.
type Locked struct{ To messaging.Stamp }

// Failed says that an older request than To has the sender's lock, or waits for it.
type Failed struct{ To messaging.Stamp }

// Inquire asks whether To, which has the sender's lock, can enter; if not, it is
// to be given back.
type Inquire struct{ To messaging.Stamp }

// Relinquish gives the receiver's lock back; Of waits for it again.
type Relinquish struct{ Of messaging.Stamp }

// Release says that Of is over: its node has left, or wants to enter no more.
type Release struct{ Of messaging.Stamp }

// Kinds returns a message of each kind.
func Kinds() []messaging.Message {
	return []messaging.Message{Request{}, Locked{}, Failed{}, Inquire{}, Relinquish{}, Release{}}
}

// New returns the algorithm in which node i asks the nodes quorums.Of(i). A node
// panics when it is made if there are not as many nodes as in quorums. That any
// two quorums have a member in common, every [quorum.System] promises.
func New(quorums quorum.System) messaging.Algorithm {
	return func(start messaging.Start) messaging.Exclusion {
		if start.Nodes != quorums.Nodes() {
			panic(fmt.Sprintf("maekawa: node %d is one of %d, but the quorums are for %d nodes (%v)",
				start.Self, start.Nodes, quorums.Nodes(), quorums))
		}
		members := quorums.Of(start.Self)
		ask := func(messaging.Start, func(int) int) []messaging.ID { return members }
		return newNode(start, ask)
	}
}

// Asking returns the algorithm in which ask is called for every request, and
// returns the quorum for it: different nodes, at least one, any two results of
// the nodes having a node in common. Nothing checks that. The node that asks is
// start.Self; choose is its [messaging.Out.Choose], and there must be no other
// source of chance. The result is only read, and not kept.
func Asking(ask func(start messaging.Start, choose func(n int) int) []messaging.ID) messaging.Algorithm {
	return func(start messaging.Start) messaging.Exclusion { return newNode(start, ask) }
}

func newNode(start messaging.Start, ask func(messaging.Start, func(int) int) []messaging.ID) messaging.Exclusion {
	return &node{start: start, ask: ask, Over: make([]messaging.Time, start.Nodes)}
}

type node struct {
	start messaging.Start
	ask   func(start messaging.Start, choose func(n int) int) []messaging.ID

	Phase    messaging.Phase
	Highest  messaging.Clock
	Mine     messaging.Stamp
	Asked    []messaging.ID
	Got      messaging.Set
	Failed   messaging.Set
	Inquired messaging.Set

	Lock      messaging.Stamp
	Waiting   requests.Queue
	Inquiring bool
	Over      []messaging.Time
}

func (n *node) Request(out messaging.Out) {
	n.Phase, n.Mine = messaging.Waiting, n.Highest.Tick(n.start.Self)
	n.Asked = append(n.Asked[:0], n.ask(n.start, out.Choose)...)
	n.broadcast(Request{n.Mine}, out)
}

func (n *node) Release(out messaging.Out) {
	n.broadcast(Release{n.Mine}, out)
	n.Phase, n.Asked = messaging.Idle, n.Asked[:0]
	clear(n.Got)
	clear(n.Failed)
	clear(n.Inquired)
}

// Withdraw takes a request back: it is over for every member, whatever the member
// has done about it and whether it knows it already.
func (n *node) Withdraw(out messaging.Out) { n.Release(out) }

func (n *node) broadcast(m messaging.Message, out messaging.Out) {
	for _, q := range n.Asked {
		out.Send(q, m)
	}
}

func (n *node) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if why := n.impossible(from, m); why != "" {
		messaging.Refuse("maekawa", n.start.Self, from, m, why)
	}
	switch m := m.(type) {
	case Request:
		n.requested(m.Of, out)
	case Relinquish:
		if n.Lock == m.Of {
			n.Waiting.Insert(m.Of)
			n.grant(out)
		}
	case Release:
		n.over(m.Of, out)
	case Locked:
		if n.waitsFor(m.To) {
			n.Got.Add(from)
			n.Failed.Remove(from)
			n.enterOrYield(out)
		}
	case Failed: // it may be overtaken by a Locked that was sent later
		if n.waitsFor(m.To) && !n.Got.Has(from) {
			n.Failed.Add(from)
			n.enterOrYield(out)
		}
	case Inquire:
		if n.waitsFor(m.To) {
			n.Inquired.Add(from)
			n.enterOrYield(out)
		}
	}
}

// waitsFor reports whether a message about request r counts: r waits, and is the latest.
func (n *node) waitsFor(r messaging.Stamp) bool { return n.Phase == messaging.Waiting && n.Mine == r }

// enterOrYield enters if all members are locked. Otherwise, if this node knows that
// it must wait for one of them, it gives back those locks that an older request
// asks for.
func (n *node) enterOrYield(out messaging.Out) {
	if n.Got.Len() == len(n.Asked) {
		n.Phase = messaging.Inside
		clear(n.Inquired) // Release will be the answer
		out.Enter()
		return
	}
	if n.Failed.Len() == 0 {
		return
	}
	for q := range n.Inquired.All() {
		if n.Got.Has(q) { // else its Locked is still on the way, and Inquire has overtaken it
			n.Inquired.Remove(q)
			n.Got.Remove(q)
			n.Failed.Add(q)
			out.Send(q, Relinquish{n.Mine})
		}
	}
}

// requested gives x the lock, or tells it to wait, or has it wait untold and sees
// to it that it gets the lock soon.
func (n *node) requested(x messaging.Stamp, out messaging.Out) {
	n.Highest.Witness(x)
	if x.Time <= n.Over[x.ID] {
		return // Release has overtaken it
	}
	if n.Lock.IsZero() {
		n.Waiting.Insert(x)
		n.grant(out)
		return
	}
	head := n.Waiting.First()
	n.Waiting.Insert(x)
	if n.mustWait(x, head) {
		out.Send(x.ID, Failed{x})
		return
	}
	if !head.IsZero() && head.Before(n.Lock) {
		out.Send(head.ID, Failed{head}) // it was told nothing, being about to get the lock
	}
	if !n.Inquiring {
		n.Inquiring = true
		out.Send(n.Lock.ID, Inquire{n.Lock})
	}
}

// mustWait reports whether a request is older than x: the one that has the lock, or
// the one that was the first of those that wait, if there were any.
func (n *node) mustWait(x, head messaging.Stamp) bool {
	return n.Lock.Before(x) || !head.IsZero() && head.Before(x)
}

// over forgets x, which may not even have come yet.
func (n *node) over(x messaging.Stamp, out messaging.Out) {
	n.Over[x.ID] = max(n.Over[x.ID], x.Time)
	if n.Lock == x {
		n.grant(out)
	} else {
		n.Waiting.Remove(x)
	}
}

// grant gives the lock to the oldest that waits, if there is one.
func (n *node) grant(out messaging.Out) {
	n.Lock, n.Inquiring = n.Waiting.Pop(), false
	if !n.Lock.IsZero() {
		out.Send(n.Lock.ID, Locked{n.Lock})
	}
}
