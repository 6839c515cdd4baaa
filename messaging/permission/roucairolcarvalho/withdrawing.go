package roucairolcarvalho

import "example.org/doorway/messaging"

// NewWithdrawing returns node start.Self, which has no permission at first,
// as New does, and which can withdraw. It is a [messaging.Algorithm].
//
// Withdraw answers all that wait. The replies to a request that was withdrawn name
// it, and are dropped, permission and all: then neither of the two has it, and the
// next that wants to enter asks. Let node i have permitted the request q of node j, which
// j still wants when it gets a request r of i that is older, and permits it. Then i
// had withdrawn r before it permitted q, for else it would have deferred q, and what
// i asked for since is younger than q; so i drops the reply to r, and j alone has
// the permission. Links need not be FIFO for this.
func NewWithdrawing(start messaging.Start) messaging.Exclusion {
	return (*withdrawing)(newNode(start))
}

type withdrawing node

func (w *withdrawing) Request(out messaging.Out) { (*node)(w).Request(out) }

func (w *withdrawing) Release(out messaging.Out) { (*node)(w).Release(out) }

// Withdraw answers all that wait for this node, which no longer does itself.
func (w *withdrawing) Withdraw(out messaging.Out) { (*node)(w).Release(out) }

func (w *withdrawing) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	n := (*node)(w)
	if m, ok := m.(Reply); ok && n.past(m.To) {
		return
	}
	n.Receive(from, m, out)
}

// past reports whether r is a request of this node that is over.
func (n *node) past(r messaging.Stamp) bool {
	return r.ID == n.start.Self && r.Time != 0 &&
		(r.Before(n.Mine) || r == n.Mine && n.Phase == messaging.Idle)
}
