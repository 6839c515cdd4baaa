package caosinghal

import (
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/quorum"
)

// NewEager returns an algorithm that is broken: it has two inside at a time. A
// node that knows that it must wait answers an inquiry for a lock at once, also if
// it does not have the lock yet. In Maekawa's algorithm that is right as long as
// links are FIFO, for Locked and Inquire come from the same node. Here the lock may
// come from whoever had it before, and be late for the Inquire, which Reiser 2002,
// slide 5.35, warns of.
//
// It fails with three nodes that all ask node 0 only, and FIFO links. Node 1 leaves
// and hands the lock to node 2, which takes long; then it asks again, and its new
// request is older. So node 0 inquires of node 2, which gives back what it does not
// have; node 0 locks for node 1, which enters; and when the lock that was on its
// way comes to node 2 after all, that one enters too. Where nobody notices so, a
// node may refuse a lock that comes twice.
func NewEager(quorums quorum.System) messaging.Algorithm { return newAlgorithm(quorums, true) }
