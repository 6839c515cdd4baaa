// Package maekawa implements Maekawa's algorithm: a node requests the locks of its
// quorum only, and each node grants its lock to one request at a time. Any two quorums
// share a node, which arbitrates between the two.
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
//	Request{Of}     node Of.ID requests the receiver's lock
//	Locked{To}      the sender's lock is granted to request To
//	Failed{To}      the sender's lock is not for To while an older request waits
//	Inquire{To}     an older request waits for the lock that To has
//	Relinquish{Of}  Of gives the lock back and waits for it again
//	Release{Of}     Of is over
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
//	Asked      the nodes that Mine was sent to: its quorum; empty while idle
//	Got        the arbiters whose locks Mine has
//	Failed     the arbiters that last replied Failed, or whose lock was relinquished
//	Inquired   the arbiters whose Inquire is unanswered
//	Left       those of Asked that are not in its quorum, since it has moved to another one
//
// and an arbiter
//
//	Lock       the request that has the lock; zero: none
//	Waiting    the other requests
//	Inquiring  whether the request that has the lock was sent an Inquire
//	Over       by node, the time of its latest request that is over
//
// and both have
//
//	Crashed    the nodes that have crashed, as far as it knows
//
// # Deadlock
//
// Without Failed, Inquire and Relinquish, concurrent requests deadlock: each holds a
// lock that the next one needs. The lectures omit one Failed, to the request that was
// first in the queue when an older one arrives, and their rules still deadlock: see
// the variants maekawa/late-failed and maekawa/lock-only of
// [example.org/doorway/catalog].
//
// # Properties
//
// Mutual exclusion: each arbiter has one lock, and any two quorums share an arbiter.
// Starvation-free: eventually a request is the oldest, and gets every lock back from
// the nodes that are not inside. Entries mostly follow the order of the stamps, but not
// always: a younger request that has all its locks is not interrupted.
//
// With quorums of K nodes that contain the node itself, an uncontended entry takes
// 3(K-1) messages; without the node itself, 3K. Under contention it mostly takes up to
// 4(K-1), as each arbiter may send a Failed, or 5(K-1), as each may instead send an
// Inquire, get a Relinquish and send Locked again. A single entry has no bound: a lock
// may be relinquished more than once. Each entry takes K-1 Locked and one more for each
// Relinquish. The synchronization delay is 2T, Release and Locked; T if the arbiter is
// one of the two nodes.
//
// # Crashes
//
// A crash blocks all nodes whose quorums contain the crashed one, unless a detector tells the
// others ([messaging.Survivor]). Then each goes on without that node for good. As an arbiter it
// takes back its lock, and forgets what the node has requested. If its own request waits for the
// lock of that node, it moves to another quorum, which takes a Request, a Locked and a Release
// for each arbiter that is new, and 2T if these are free. Later requests ask no crashed node.
// This is the library's addition.
//
// So all live nodes enter as long as there is a quorum of live nodes; package quorum says how
// many crashes each construction allows. Otherwise requests wait, but mutual exclusion holds.
//
// The detector must be perfect. If a node is told that a live one has crashed, which has its
// lock, it grants the lock to another, and two may be inside. (It does no harm that it asks other
// arbiters, since any two quorums share a live one.) From then on it ignores that node and sends it
// nothing, so requests may wait forever. A node that restarts must not take part again.
package maekawa

import (
	"fmt"

	"example.org/doorway/internal/node/requests"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/quorum"
)

// The messages, as above.
type (
	request    struct{ Of messaging.Stamp } // Of.Time is never 0
	locked     struct{ To messaging.Stamp }
	failed     struct{ To messaging.Stamp }
	inquire    struct{ To messaging.Stamp }
	relinquish struct{ Of messaging.Stamp }
	release    struct{ Of messaging.Stamp }
)

// Protocol is the algorithm with the quorums of quorum.New.
var Protocol = messaging.Protocol{
	Name: "maekawa",
	New: func(n int) (messaging.Algorithm, error) {
		q, err := quorum.New(n)
		return New(q), err
	},
	Kinds: []messaging.Message{request{}, locked{}, failed{}, inquire{}, relinquish{}, release{}},
}

// New returns the algorithm in which node i requests the locks of the nodes
// quorums.Of(i), or after a crash of quorums.Without(i, crashed). Its nodes implement
// [messaging.Withdrawer] and [messaging.Survivor]. The algorithm panics if
// it is started with a number of nodes other than quorums.Nodes().
func New(quorums quorum.System) messaging.Algorithm {
	return func(start messaging.Start) messaging.Node {
		if start.Nodes != quorums.Nodes() {
			panic(fmt.Sprintf("maekawa: node %d is one of %d, but the quorums are for %d nodes (%v)",
				start.Self, start.Nodes, quorums.Nodes(), quorums))
		}
		members := quorums.Of(start.Self)
		return newNode(start, func(_ messaging.Start, _ []messaging.ID, down messaging.Set, _ func(int) int) []messaging.ID {
			if down.Len() == 0 {
				return members
			}
			others, _ := quorums.Without(start.Self, down)
			return others
		})
	}
}

// Asking returns the algorithm that calls ask for the quorum of each request. The
// result must be distinct nodes, none of which is in down, and any two results must share a
// node, whatever nodes are in down; this is not checked. It is empty if there are none. The
// result is only read, and not retained.
//
// The requester is start.Self. The nodes down have crashed, as far as it knows. If one that it
// has asked crashes, ask is called again, with all that it has asked; a result that has many of
// these saves messages. Otherwise asked is empty. Asked and down are only to be read. Choose
// is its [messaging.Out.Choose], the only source of randomness that ask may use.
func Asking(ask func(start messaging.Start, asked []messaging.ID, down messaging.Set, choose func(n int) int) []messaging.ID) messaging.Algorithm {
	return func(start messaging.Start) messaging.Node { return newNode(start, ask) }
}

type asking = func(start messaging.Start, asked []messaging.ID, down messaging.Set, choose func(n int) int) []messaging.ID

func newNode(start messaging.Start, ask asking) messaging.Exclusion {
	return &node{start: start, ask: ask, Over: make([]messaging.Time, start.Nodes)}
}

type node struct {
	start messaging.Start
	ask   asking

	Phase    messaging.Phase
	Highest  messaging.Clock
	Mine     messaging.Stamp
	Asked    []messaging.ID
	Got      messaging.Set
	Failed   messaging.Set
	Inquired messaging.Set
	Left     messaging.Set

	Lock      messaging.Stamp
	Waiting   requests.Queue
	Inquiring bool
	Over      []messaging.Time

	Crashed messaging.Set
}

func (n *node) Request(out messaging.Out) {
	n.Phase, n.Mine = messaging.Waiting, n.Highest.Tick(n.start.Self)
	n.Asked = append(n.Asked[:0], n.ask(n.start, nil, n.Crashed, out.Choose)...)
	n.broadcast(request{n.Mine}, out)
}

func (n *node) Release(out messaging.Out) {
	n.broadcast(release{n.Mine}, out)
	n.Phase, n.Asked = messaging.Idle, n.Asked[:0]
	clear(n.Got)
	clear(n.Failed)
	clear(n.Inquired)
	clear(n.Left)
}

// Withdraw ends the request at every arbiter, even if the arbiter has granted it or
// has not received it yet.
func (n *node) Withdraw(out messaging.Out) { n.Release(out) }

func (n *node) broadcast(m messaging.Message, out messaging.Out) {
	for _, q := range n.Asked {
		if !n.Crashed.Has(q) {
			out.Send(q, m)
		}
	}
}

// Receive handles messages to the requester and to the arbiter.
//
// The older request goes first: an arbiter that gets an older request than the one
// that has its lock inquires of that one, which relinquishes the lock, but only once
// another arbiter has replied Failed and it knows that it cannot enter yet. So every
// request must get a Failed, unless it has the lock or is about to get it. A node that
// gets an Inquire before it knows remembers it, and answers as soon as it knows, or by
// Release on exit. An Inquire that overtakes its Locked is remembered too: to relinquish
// a lock that is still in transit lets two nodes enter.
//
// Easily forgotten is the request that is first in the queue, got no Failed because it
// was about to get the lock, and then is preceded by an older one: it must get its
// Failed then.
func (n *node) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if n.Crashed.Has(from) {
		return
	}
	if why := n.impossible(from, m); why != "" {
		messaging.Refuse("maekawa", n.start.Self, from, m, why)
	}
	switch m := m.(type) {
	case request:
		n.requested(m.Of, out)
	case relinquish:
		if n.Lock == m.Of {
			n.Waiting.Insert(m.Of)
			n.grant(out)
		}
	case release:
		n.over(m.Of, out)
	case locked:
		if n.waitsFor(m.To) {
			n.Got.Add(from)
			n.Failed.Remove(from)
			n.enterOrYield(out)
		}
	case failed: // a Locked that was sent later may have overtaken it
		if n.waitsFor(m.To) && !n.Got.Has(from) {
			n.Failed.Add(from)
			n.enterOrYield(out)
		}
	case inquire:
		if n.waitsFor(m.To) {
			n.Inquired.Add(from)
			n.enterOrYield(out)
		}
	}
}

// waitsFor reports whether r is this node's request and still waits.
func (n *node) waitsFor(r messaging.Stamp) bool { return n.Phase == messaging.Waiting && n.Mine == r }

// enterOrYield enters if the node has all locks. Otherwise, if it knows that it must
// wait for one of them, it relinquishes the locks that older requests wait for.
func (n *node) enterOrYield(out messaging.Out) {
	if n.Got.Len()+n.spared() == len(n.Asked) {
		n.Phase = messaging.Inside
		clear(n.Inquired) // Release answers them
		out.Enter()
		return
	}
	if n.Failed.Len() == 0 {
		return
	}
	for q := range n.Inquired.All() {
		if n.Got.Has(q) { // else its Locked is still in transit: Inquire overtook it
			n.Inquired.Remove(q)
			n.Got.Remove(q)
			n.Failed.Add(q)
			out.Send(q, relinquish{n.Mine})
		}
	}
}

// requested grants x the lock, or replies Failed, or queues x first and inquires for
// the lock.
func (n *node) requested(x messaging.Stamp, out messaging.Out) {
	n.Highest.Witness(x)
	if x.Time <= n.Over[x.ID] {
		return // its Release overtook it
	}
	if n.Lock.IsZero() {
		n.Waiting.Insert(x)
		n.grant(out)
		return
	}
	head := n.Waiting.First()
	n.Waiting.Insert(x)
	if n.mustWait(x, head) {
		out.Send(x.ID, failed{x})
		return
	}
	if !head.IsZero() && head.Before(n.Lock) {
		out.Send(head.ID, failed{head}) // it got no reply yet: it was about to get the lock
	}
	if !n.Inquiring {
		n.Inquiring = true
		out.Send(n.Lock.ID, inquire{n.Lock})
	}
}

// mustWait reports whether a request is older than x: the one that has the lock, or
// head, the previous first of the queue, if any.
func (n *node) mustWait(x, head messaging.Stamp) bool {
	return n.Lock.Before(x) || !head.IsZero() && head.Before(x)
}

// over ends x, which may not even have arrived yet.
func (n *node) over(x messaging.Stamp, out messaging.Out) {
	n.Over[x.ID] = max(n.Over[x.ID], x.Time)
	if n.Lock == x {
		n.grant(out)
	} else {
		n.Waiting.Remove(x)
	}
}

// grant gives the lock to the oldest waiting request, if any.
func (n *node) grant(out messaging.Out) {
	n.Lock, n.Inquiring = n.Waiting.Pop(), false
	if !n.Lock.IsZero() {
		out.Send(n.Lock.ID, locked{n.Lock})
	}
}
