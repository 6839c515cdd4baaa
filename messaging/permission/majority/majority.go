// Package majority is mutual exclusion by vote: a node that wants to enter needs the
// votes of more than half of the nodes, and each node has one.
//
// # Source
//
// R. H. Thomas, "A majority consensus approach to concurrency control for multiple
// copy databases", ACM Transactions on Database Systems 4(2), 1979, 180-209, for
// the idea that two majorities have a member in common. HAW Hamburg, slide 23, has
// no more than that as an improvement of the algorithm of Ricart and Agrawala: a
// simple majority will do. Taken alone it deadlocks, for votes may be split. Here
// it is Maekawa's algorithm with majorities for quorums, so that a vote can be
// taken back for an older request: see package maekawa for its messages and state.
//
// # Properties
//
// Those of package maekawa, with K = floor(N/2)+1: an entry without conflict takes
// 3(K-1) messages, which is 3·floor(N/2).
//
// With [New] a node that crashes blocks all that ask it. With [NewChoosing] there
// is a way around: as long as less than half have crashed, and none of them held
// the vote of a node that works or waited for it, a request that is withdrawn and
// made anew will some time ask only nodes that work. No node learns when that is
// needed; a host may withdraw what takes too long.
package majority

import (
	"slices"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/maekawa"
)

// Kinds returns a message of each kind.
func Kinds() []messaging.Message { return maekawa.Kinds() }

// New returns node start.Self, which asks itself and the nodes that follow it, 0
// behind the last, as many as are a majority: the quorums of quorum.Majority.
// It is a [messaging.Algorithm].
func New(start messaging.Start) messaging.Exclusion { return maekawa.Asking(following)(start) }

// NewChoosing returns node start.Self, which asks itself and others that it
// chooses anew for each request, every majority with the same probability. It is
// a [messaging.Algorithm].
func NewChoosing(start messaging.Start) messaging.Exclusion { return maekawa.Asking(chosen)(start) }

func following(start messaging.Start, _ func(n int) int) []messaging.ID {
	voters := make([]messaging.ID, start.Nodes/2+1)
	for k := range voters {
		voters[k] = (start.Self + messaging.ID(k)) % messaging.ID(start.Nodes)
	}
	return voters
}

// chosen puts at each place a node of those that are left.
func chosen(start messaging.Start, choose func(n int) int) []messaging.ID {
	nodes := slices.AppendSeq([]messaging.ID{start.Self}, start.Others())
	voters := nodes[:start.Nodes/2+1]
	for k := 1; k < len(voters); k++ {
		l := k + choose(len(nodes)-k)
		nodes[k], nodes[l] = nodes[l], nodes[k]
	}
	slices.Sort(voters) // in which order they were chosen makes no difference
	return voters
}
