package roucairolcarvalho

import "example.org/doorway/messaging"

// NewNaive returns node start.Self of a variant that is broken: two nodes may be
// inside at a time. It is here for checkers to find that out. It is a
// [messaging.Algorithm], and differs from [NewWithdrawing] in one rule: a reply
// that comes after its request was withdrawn is kept, for what the lecture says of
// it (Prabhakaran, "Mutual Exclusion Algorithms", slide 14) is that its receiver is
// authorised until it replies to the sender itself.
//
// A node that has withdrawn lets the next request of another pass at once. But the
// other may get the withdrawn request after that, find that it is older than its
// own, and let it pass as well. Then each has the permission of the other. It takes
// two nodes, and happens on FIFO links, too.
func NewNaive(start messaging.Start) messaging.Exclusion {
	n := newNode(start)
	n.naive = true
	return (*withdrawing)(n)
}

// keep takes a reply for a permission, whichever request it answers.
func (n *node) keep(from messaging.ID, out messaging.Out) {
	n.Permitted.Add(from)
	if n.Phase == wanted {
		n.enterIfPermitted(out)
	}
}
