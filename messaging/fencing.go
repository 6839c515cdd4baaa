package messaging

import "fmt"

// A Token is a fencing token: it numbers an entry to the critical section, for a resource that
// must not obey a user whose entry is over for the other nodes, since its node was slow or has
// crashed. The resource keeps the largest token that it has seen, and refuses a request with one
// that is [Token.Before] it.
//
// The token of each entry is larger than those of all earlier entries of nodes that it
// excludes. Of entries that do not exclude each other ([Sharer]) nothing is said; they may
// have the same token. A resource is one that exclusion is for, so its tokens are in order. The
// zero Token is before every entry, and means none.
//
// Count is a logical clock that ticks at each entry, and that the host carries on each
// message. It needs nothing of the algorithm: if an entry did not follow from
// the exit before it by a chain of messages, the entry might as well have come before that exit,
// and then two nodes would be inside. What tells a node of a crash, such as a detector, must carry the
// clock of the node that has crashed, too. Silence carries nothing: where it is taken for a
// crash, the Epoch must grow.
type Token struct {
	Epoch uint64 // that of the node, if it is an [Epocher], when it entered; otherwise 0
	Count uint64 // from 1
}

// Before reports whether t is of an earlier entry than u: its epoch is smaller, or the epochs
// are equal and its count is smaller.
func (t Token) Before(u Token) bool {
	return t.Epoch < u.Epoch || t.Epoch == u.Epoch && t.Count < u.Count
}

// String returns the epoch and the count, as in "2.17".
func (t Token) String() string { return fmt.Sprintf("%d.%d", t.Epoch, t.Count) }

// An Epocher is an Exclusion whose runs are divided into epochs, such as one that makes a lost
// privilege anew. If it was not lost, an entry of an earlier epoch can overlap one of the latest: a
// check calls that a failure of mutual exclusion, and a resource tells the two by their tokens. The epoch of a node
// never decreases, and is larger than that of any entry which the node does not know to be over.
// The host reads it when the node enters, for its [Token].
type Epocher interface {
	Exclusion
	Epoch() uint64
}
