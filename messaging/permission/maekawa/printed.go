package maekawa

import (
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/quorum"
)

// The rules by which a member answers requests: the ones to use, and those that
// lectures print.
type rules uint8

const (
	corrected rules = iota
	withoutDeadlockHandling
	withoutLateFailed
	comparingWithLockOnly
)

// NewWithoutDeadlockHandling returns an algorithm that is broken: it deadlocks.
// Whoever finds the lock taken waits, and nobody is told anything. So Prabhakaran,
// Mutual Exclusion Algorithms, slide 18, introduces the algorithm, to mend it
// afterwards. It never lets two inside.
//
// It fails with two nodes already, each of whose quorums is both: both ask, each
// gets its own lock, and waits for the other's for good.
func NewWithoutDeadlockHandling(quorums quorum.System) messaging.Algorithm {
	return fixed(quorums, withoutDeadlockHandling)
}

// NewWithoutLateFailed returns an algorithm that is broken: it deadlocks. It goes
// by the rules of Reiser 2002, slides 5.15 to 5.17: if a request comes that is
// older than all the others, the member inquires of the one that has the lock, and
// that is all. It never lets two inside.
//
// It needs three that ask, and fails with three nodes already. Let their quorums
// be {0, 1, 2}, {1, 2} and {2}, and let all ask at the same time, so that 0 is the
// oldest. Node 1 gets its own lock. Node 2 gets its own and enters. At node 2
// arrives the request of 1, which is older than that of 2, and so is told nothing;
// then that of 0, which is the oldest: 1 must wait for it now, and does not know.
// 2 leaves, and its lock is for 0. Now the request of 0 comes to node 1, which
// inquires of its own, but that has not failed yet, as far as it knows, and keeps
// the lock. So 0 waits for the lock of 1, and 1 for that of 2, for good.
//
// Where all quorums have the same number of members, the node itself among them,
// it takes four nodes.
func NewWithoutLateFailed(quorums quorum.System) messaging.Algorithm {
	return fixed(quorums, withoutLateFailed)
}

// NewComparingWithLockOnly returns an algorithm that is broken: it deadlocks. It
// goes by the rules of Prabhakaran, Mutual Exclusion Algorithms, slide 21: a
// request that is younger than the one that has the lock has failed, and for an
// older one the member inquires. It never lets two inside.
//
// It fails where [NewWithoutLateFailed] does, and also if in the schedule there
// the request of 0 comes to node 2 before that of 1: this one is older than that
// of 2, which has the lock, and is not told that it must wait for 0.
func NewComparingWithLockOnly(quorums quorum.System) messaging.Algorithm {
	return fixed(quorums, comparingWithLockOnly)
}
