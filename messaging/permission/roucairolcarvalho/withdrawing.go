package roucairolcarvalho

import "example.org/doorway/messaging"

// NewWithdrawing returns node start.Self, which initially has no permissions, and
// which implements [messaging.Withdrawer]. It is a [messaging.Algorithm].
//
// Withdraw replies to all deferred requests. A reply to a withdrawn request is dropped
// together with its permission: then neither of the two nodes has it, and the next one
// to enter asks for it.
//
// This is safe: let node i have permitted request q of node j, and let j, while q is
// pending, get an older request r of i and permit it. Then i withdrew r before it
// permitted q, or it would have deferred q, and all later requests of i are younger
// than q. So i drops the reply to r, and only j has the permission. Links need not be
// FIFO for this.
func NewWithdrawing(start messaging.Start) messaging.Node {
	return (*withdrawing)(newNode(start))
}

type withdrawing node

func (w *withdrawing) Request(out messaging.Out) { (*node)(w).Request(out) }

func (w *withdrawing) Release(out messaging.Out) { (*node)(w).Release(out) }

// Withdraw replies to all deferred requests, since this node no longer waits.
func (w *withdrawing) Withdraw(out messaging.Out) { (*node)(w).Release(out) }

func (w *withdrawing) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	n := (*node)(w)
	if m, ok := m.(reply); ok && n.past(m.To) {
		return
	}
	n.Receive(from, m, out)
}

// past reports whether r is a request of this node that is over.
func (n *node) past(r messaging.Stamp) bool {
	return r.ID == n.start.Self && r.Time != 0 &&
		(r.Before(n.Mine) || r == n.Mine && n.Phase == messaging.Idle)
}
