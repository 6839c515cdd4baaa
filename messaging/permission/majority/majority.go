// Package majority implements mutual exclusion by vote: a node that wants to enter needs
// the votes of more than half of the nodes, and each node has one vote.
//
// # Source
//
// R. H. Thomas, "A majority consensus approach to concurrency control for multiple
// copy databases", ACM Transactions on Database Systems 4(2), 1979, 180-209, for
// the idea that any two majorities share a member. HAW Hamburg, slide 23, says only, as
// an improvement of Ricart and Agrawala's algorithm, that a simple majority is enough.
// That alone deadlocks, since votes may be split. This package is Maekawa's algorithm
// with majorities as quorums, so a vote can be taken back for an older request: see
// package maekawa for its messages and state.
//
// # Properties
//
// Those of package maekawa, with K = floor(N/2)+1: an uncontended entry takes
// 3(K-1) messages, which is 3·floor(N/2).
//
// With [New] a node that crashes blocks all that ask it. [NewChoosing] avoids that: as
// long as less than half of the nodes have crashed, and none of these held the vote of a
// live node or waited for it, a request that is withdrawn and repeated will eventually
// ask live nodes only. No node learns when that is needed; a host may withdraw requests
// that take too long.
package majority

import (
	"slices"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/maekawa"
)

// Protocol is the algorithm, for hosts that are told which one to run.
var Protocol = messaging.Protocol{
	Name:  "majority",
	New:   func(int) (messaging.Algorithm, error) { return New, nil },
	Kinds: maekawa.Protocol.Kinds,
}

// Choosing is the algorithm of NewChoosing.
var Choosing = messaging.Protocol{
	Name:  "majority-choosing",
	New:   func(int) (messaging.Algorithm, error) { return NewChoosing, nil },
	Kinds: maekawa.Protocol.Kinds,
}

// New returns node start.Self, which asks a majority: itself and the nodes that follow
// it, with 0 after the last, as in quorum.Majority. It is a [messaging.Algorithm].
func New(start messaging.Start) messaging.Node { return maekawa.Asking(following)(start) }

// NewChoosing returns node start.Self, which for each request chooses a majority that
// contains it, uniformly at random. It is a [messaging.Algorithm].
func NewChoosing(start messaging.Start) messaging.Node { return maekawa.Asking(chosen)(start) }

func following(start messaging.Start, _ func(n int) int) []messaging.ID {
	voters := make([]messaging.ID, start.Nodes/2+1)
	for k := range voters {
		voters[k] = (start.Self + messaging.ID(k)) % messaging.ID(start.Nodes)
	}
	return voters
}

// chosen is a partial Fisher-Yates shuffle.
func chosen(start messaging.Start, choose func(n int) int) []messaging.ID {
	nodes := slices.AppendSeq([]messaging.ID{start.Self}, start.Others())
	voters := nodes[:start.Nodes/2+1]
	for k := 1; k < len(voters); k++ {
		l := k + choose(len(nodes)-k)
		nodes[k], nodes[l] = nodes[l], nodes[k]
	}
	slices.Sort(voters) // their order makes no difference
	return voters
}
