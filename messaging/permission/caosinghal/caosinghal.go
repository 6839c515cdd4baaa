// Package caosinghal is the algorithm of Cao and Singhal: Maekawa's, but each lock
// is forwarded to its successor on exit. So the synchronization delay, from an exit
// to the next entry, is one message delay, the least there can be, instead of two,
// if sections are long enough for every node to know which is next.
//
// # Source
//
// G. Cao, M. Singhal, "A delay-optimal quorum-based mutual exclusion algorithm
// for distributed systems", IEEE Transactions on Parallel and Distributed Systems
// 12(12), 2001, 1256-1268.
//
// # Messages
//
//	Request{Of}              node Of.ID asks for the lock of the receiver
//	Locked{To, Arbiter, Version}
//	                         the lock of node Arbiter is for the request To
//	Failed{To}               an older request than To goes first at the sender
//	Transfer{To, Next, Inquire, Version}
//	                         when To leaves, it is to hand the sender's lock to the request
//	                         Next; with Inquire, Next is older, and wants the lock back
//	Yield{Of}                Of gives the lock back, and waits for it
//	Release{Of, Next}        Of is over; it has handed the receiver's lock to Next; zero: to none
//
// A Locked comes from the node whose lock it is, or from the request that had the
// lock before. So it can be late for what that node sends afterwards, even if
// links are FIFO; they need not be. Each message names the request that it is
// about, and stale messages are ignored.
//
// # State
//
// Of a node that asks:
//
//	Phase      idle, waiting or inside
//	Highest    the largest time seen in a request, one's own included
//	Mine       the last request of this node; it is out while waiting
//	Got        the members whose lock is for Mine
//	Failed     the members that last replied Failed, or to which the lock was given back
//	Inquired   the members that want the lock back, and got no answer yet; leaving is one
//	Next       by place in the quorum, the request to which that lock is to be handed
//
// Of a member that is asked:
//
//	Lock       the request that has the lock, as far as is known; zero: none
//	Waiting    the other requests
//	Inquiring  whether the request that has the lock was inquired of
//	Version    how many Transfers there were since the lock was last free
//	Over       by node, the time of its latest request that is over
//
// # Races
//
// An Inquire may come before the Locked that it is about. It is kept in mind until
// then: to give back a lock that is still on its way lets two enter (see the
// variant caosinghal/eager of [example.org/doorway/catalog]).
//
// Of several Transfers of a member, the latest counts, which Version tells. A
// Locked has the version as well, and outdates what was sent before: if the lock
// was given back in between, the Next of that time is no longer to have it.
//
// A Transfer that comes when To has left is dropped; the member learns from the
// Release whether the lock was handed on, and to which, and goes on from there.
// Hence it is always safe not to heed a Transfer, and costs only delay, while an
// Inquire must be heeded.
//
// The next one may have left, and its Release have come, before the Release of the
// one that handed it the lock. That need not be kept until then, except that it is
// over (Over): the next one knew of none to hand the lock to, since a member
// sends a Transfer only to one that it knows to have the lock. So what a member keeps
// for requests that are over is one time a node.
//
// A lock may be handed to a request that was withdrawn. Its node drops the Locked,
// and its Release makes the member give the lock to another, whether it comes
// before the Release that names the request as next or after.
//
// # Properties
//
// Exclusion: of each lock there is one at a time, which is with its member, with
// a request, or on its way; two that are inside would both have the lock of a
// member that their quorums have in common.
//
// Requests enter mostly, and not always, in the order of their stamps. It is
// starvation-free, for the reason that Maekawa's algorithm is: a younger request that is
// not inside gives back what an older one needs.
//
// With K members in a quorum, the node itself among them, an entry without
// conflict takes 3(K-1) messages; if the node itself is not among them, 3K. With
// conflicts it is mostly 5(K-1), for each member may send a Transfer and a Failed;
// the most that is usual is 6(K-1) (Reiser 2002, slide 5.36). That is no bound of
// a single entry, for a lock may be given back more than once. From an exit to the
// next entry it takes one message delay, if the Transfers have come before the
// exit; otherwise two, as in Maekawa's algorithm. A node that crashes blocks all
// whose quorums it is in.
package caosinghal

import (
	"fmt"
	"slices"

	"example.org/doorway/internal/requests"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/quorum"
)

// Request asks for the receiver's lock. Request{Of} with Of.Time 0 does not occur.
type Request struct{ Of messaging.Stamp }

// Locked says that the lock of the node Arbiter is for To. Version is that of the
// Transfer by which it was handed on, or of the Arbiter's latest if it comes from
// there.
type Locked struct {
	To      messaging.Stamp
	Arbiter messaging.ID
	Version uint64
}

// Failed says that an older request than To has the sender's lock, or waits for it.
type Failed struct{ To messaging.Stamp }

// Transfer tells To, which has the sender's lock or is about to get it, to hand it
// to Next on leaving, and not to the request that a smaller version names.
type Transfer struct {
	To      messaging.Stamp
	Next    messaging.Stamp
	Inquire bool // if To is not inside, and will not be soon, it is to yield
	Version uint64
}

// Yield gives the receiver's lock back; Of waits for it again.
type Yield struct{ Of messaging.Stamp }

// Release says that Of is over: its node has left, or wants to enter no more. If
// Next is not zero, it was sent the receiver's lock.
type Release struct{ Of, Next messaging.Stamp }

// Kinds returns a message of each kind.
func Kinds() []messaging.Message {
	return []messaging.Message{Request{}, Locked{}, Failed{}, Transfer{}, Yield{}, Release{}}
}

// New returns the algorithm in which node i asks the nodes quorums.Of(i). Its
// nodes can withdraw. A node panics when it is made if there are not as many nodes
// as in quorums. That any two quorums have a member in common, every
// [quorum.System] promises.
func New(quorums quorum.System) messaging.Algorithm {
	return func(start messaging.Start) messaging.Exclusion {
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

// A successor is the request that a lock is to be handed to; the zero Stamp is none.
// Version is that of the latest Transfer, or of the Locked if that is later.
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
		out.Send(q, Request{n.Mine})
	}
}

// Release hands every lock on, in the name of the member whose it is, and tells
// the member. To the member itself no lock is handed: the Release is enough.
func (n *node) Release(out messaging.Out) {
	for k, q := range n.quorum {
		next := n.Next[k]
		if next.Of.ID == q {
			next.Of = messaging.Stamp{}
		}
		if !next.Of.IsZero() {
			out.Send(next.Of.ID, Locked{To: next.Of, Arbiter: q, Version: next.Version})
		}
		out.Send(q, Release{Of: n.Mine, Next: next.Of})
	}
	n.forget()
}

// Withdraw gives every lock back that there is, or may be on its way: no member
// has it handed to this request from now on, and what is dropped here the
// member gives to another.
func (n *node) Withdraw(out messaging.Out) {
	for _, q := range n.quorum {
		out.Send(q, Release{Of: n.Mine})
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

func (n *node) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if why := n.impossible(from, m); why != "" {
		messaging.Refuse("caosinghal", n.self, from, m, why)
	}
	switch m := m.(type) {
	case Request:
		n.Highest.Witness(m.Of)
		if !n.over(m.Of) { // else its Release has overtaken it
			n.enqueue(m.Of, out)
		}
	case Yield:
		if !n.over(m.Of) {
			n.Waiting.Insert(m.Of)
			n.grant(out)
		}
	case Release:
		n.Over[from] = max(n.Over[from], m.Of.Time)
		n.release(m.Of, m.Next, out)
	case Locked:
		if n.waits(m.To) {
			n.locked(m.Arbiter, m.Version, out)
		}
	case Failed: // it may be overtaken by a Locked that was sent later
		if n.waits(m.To) && !n.Got.Has(from) {
			n.Failed.Add(from)
			n.enterOrYield(out)
		}
	case Transfer:
		if n.current(m.To) {
			n.transfer(from, m)
		}
		if m.Inquire && n.waits(m.To) {
			n.Inquired.Add(from)
			n.enterOrYield(out)
		}
	}
}

// locked counts the lock of q. Which was to have it next when it was sent here is
// known no more: what came from q before is about an earlier time.
func (n *node) locked(q messaging.ID, version uint64, out messaging.Out) {
	n.Got.Add(q)
	n.Failed.Remove(q)
	if next := &n.Next[n.place(q)]; next.Version <= version {
		*next = successor{Version: version}
	}
	n.enterOrYield(out)
}

func (n *node) transfer(q messaging.ID, m Transfer) {
	if next := &n.Next[n.place(q)]; next.Version < m.Version {
		*next = successor{m.Next, m.Version}
	}
}

// enterOrYield enters if all members are locked. Otherwise, if this node knows that
// it must wait for one of them, it gives back those locks that an older request
// asks for.
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
		if n.Got.Has(q) { // else its Locked is still on the way
			n.Inquired.Remove(q)
			n.Got.Remove(q)
			n.Failed.Add(q)
			out.Send(q, Yield{n.Mine})
		}
	}
}

// enqueue has x wait for the lock, which it gets at once if it is free. Otherwise,
// of x, the request that has the lock and the one that waited first, all but the
// oldest learn that they are not the oldest. The first knows it already unless it
// is older than the one that has the lock.
func (n *node) enqueue(x messaging.Stamp, out messaging.Out) {
	first := n.Waiting.First()
	n.Waiting.Insert(x)
	if n.Lock.IsZero() {
		n.grant(out)
		return
	}
	if n.Lock.Before(x) || n.Waiting.First() != x {
		out.Send(x.ID, Failed{x})
	} else if !first.IsZero() && first.Before(n.Lock) {
		out.Send(first.ID, Failed{first})
	}
	if n.Waiting.First() == x {
		n.advise(out)
	}
}

// release follows the lock to where it is when x is over.
func (n *node) release(x, next messaging.Stamp, out messaging.Out) {
	switch {
	case n.Lock == x && n.over(next): // none has it, or one had it and is through
		n.grant(out)
	case n.Lock == x:
		n.Waiting.Remove(next)
		n.Lock, n.Inquiring = next, false
		n.advise(out)
	case n.Waiting.First() == x: // withdrawn; or it was handed the lock, and has left before that was told
		n.Waiting.Remove(x)
		n.advise(out)
	default:
		n.Waiting.Remove(x)
	}
}

// grant gives the lock to the oldest that waits, if there is one. If not, all
// Transfers were to requests that are over, and versions may begin anew.
func (n *node) grant(out messaging.Out) {
	n.Lock, n.Inquiring = n.Waiting.Pop(), false
	if n.Lock.IsZero() {
		n.Version = 0
		return
	}
	out.Send(n.Lock.ID, Locked{To: n.Lock, Arbiter: n.self, Version: n.Version})
	n.advise(out)
}

// advise tells the request that has the lock which is to have it next, and inquires
// if it must, once. It is called when the lock is another's, and when another
// waits first.
func (n *node) advise(out messaging.Out) {
	next := n.Waiting.First()
	if next.IsZero() {
		return
	}
	inquire := next.Before(n.Lock) && !n.Inquiring
	n.Inquiring = n.Inquiring || inquire
	n.Version++
	out.Send(n.Lock.ID, Transfer{To: n.Lock, Next: next, Inquire: inquire, Version: n.Version})
}

// current reports whether r is this node's request, and not over.
func (n *node) current(r messaging.Stamp) bool { return n.Phase != messaging.Idle && n.Mine == r }

// waits reports whether r is this node's request, and waits.
func (n *node) waits(r messaging.Stamp) bool { return n.Phase == messaging.Waiting && n.Mine == r }

// over reports whether the node of r has said that r, or a later request, is over.
// The zero Stamp is over.
func (n *node) over(r messaging.Stamp) bool { return r.Time <= n.Over[r.ID] }

// place returns the place of member q in the quorum.
func (n *node) place(q messaging.ID) int {
	k, _ := slices.BinarySearch(n.quorum, q)
	return k
}
