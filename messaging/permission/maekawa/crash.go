package maekawa

import (
	"slices"

	"example.org/doorway/messaging"
)

// Down continues without peer, which has crashed: it may have been an arbiter of this node,
// and this node one of its arbiters. From now on its messages are dropped: a request of peer
// that is still in transit must not get the lock, which no node would give back.
func (n *node) Down(peer messaging.ID, out messaging.Out) {
	if peer == n.start.Self || n.Crashed.Has(peer) {
		return
	}
	n.Crashed.Add(peer)
	out.Emit(messaging.Removed{Node: peer})
	n.free(peer, out)
	n.Failed.Remove(peer)
	n.Inquired.Remove(peer)
	if n.Phase == messaging.Waiting && n.lacks(peer) {
		n.move(out)
	}
}

// free ends the requests of peer at this arbiter, as its Release would.
func (n *node) free(peer messaging.ID, out messaging.Out) {
	n.Waiting = slices.DeleteFunc(n.Waiting, func(x messaging.Stamp) bool { return x.ID == peer })
	if n.Lock.ID == peer {
		n.grant(out) // also if there is none, and no request waits
	}
}

// lacks reports whether the request waits for the lock of q, which is in its quorum.
func (n *node) lacks(q messaging.ID) bool {
	return slices.Contains(n.Asked, q) && !n.Left.Has(q) && !n.Got.Has(q)
}

// move has the request wait for the locks of another quorum, if there is one, and asks the
// arbiters of this one that it has not asked yet.
//
// The others it leaves: it enters without their locks, and waits in their queues until its
// Release. To send that at once would save nothing. Whoever needs one of those locks contends for
// one of the new quorum anyway, and an older request inquires, as always; and if another
// arbiter crashes, the request may need them again, with the stamp by which they know it.
//
// A lock that a crashed arbiter has granted is as good as any: it is granted to no other.
func (n *node) move(out messaging.Out) {
	quorum := n.ask(n.start, n.Asked, n.lost(), out.Choose)
	if len(quorum) == 0 {
		return
	}
	for _, q := range n.Asked {
		n.Left.Add(q)
	}
	for _, q := range quorum {
		n.Left.Remove(q)
		if !slices.Contains(n.Asked, q) {
			n.Asked = append(n.Asked, q)
			out.Send(q, request{n.Mine})
		}
	}
	n.enterOrYield(out)
}

// lost returns the crashed nodes whose locks the request does not have.
func (n *node) lost() messaging.Set {
	lost := slices.Clone(n.Crashed)
	for q := range n.Got.All() {
		lost.Remove(q)
	}
	return lost
}

// spared returns the number of arbiters that were asked, whose locks the request neither has nor
// needs.
func (n *node) spared() int {
	spared := 0
	for q := range n.Left.All() {
		if !n.Got.Has(q) {
			spared++
		}
	}
	return spared
}
