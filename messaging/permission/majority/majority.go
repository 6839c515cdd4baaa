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
// # Crashes
//
// Nodes that are told of crashes ([messaging.Survivor]) go on while more than half of all nodes
// live: a request that waits for the vote of a crashed node asks one other node instead, and
// later ones ask live nodes only. See package maekawa for what this requires of the detector.
//
// Without a detector, a node that crashes blocks all that ask it. [NewChoosing] avoids that in
// part: as long as less than half of the nodes have crashed, and none of these held the vote of
// a live node or waited for it, a request that is withdrawn and repeated will eventually
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

// following returns the first majority from the node itself on, without those that are down.
func following(start messaging.Start, _ []messaging.ID, down messaging.Set, _ func(n int) int) []messaging.ID {
	voters := make([]messaging.ID, 0, start.Nodes/2+1)
	for k := 0; k < start.Nodes && len(voters) < cap(voters); k++ {
		if j := (start.Self + messaging.ID(k)) % messaging.ID(start.Nodes); !down.Has(j) {
			voters = append(voters, j)
		}
	}
	return enough(voters, start.Nodes)
}

// chosen keeps the voters that were asked already, and chooses the others by a partial
// Fisher-Yates shuffle. A node always asks itself.
func chosen(start messaging.Start, asked []messaging.ID, down messaging.Set, choose func(n int) int) []messaging.ID {
	voters, others := make([]messaging.ID, 0, start.Nodes/2+1), make([]messaging.ID, 0, start.Nodes)
	for j := range messaging.ID(start.Nodes) {
		switch {
		case down.Has(j):
		case j == start.Self || slices.Contains(asked, j):
			voters = append(voters, j)
		default:
			others = append(others, j)
		}
	}
	for len(voters) < cap(voters) && len(others) > 0 {
		l := choose(len(others))
		voters = append(voters, others[l])
		others[l], others = others[0], others[1:]
	}
	slices.Sort(voters) // their order makes no difference
	return enough(voters, start.Nodes)
}

// enough returns the voters if they are a majority; otherwise none, as too few nodes are up.
func enough(voters []messaging.ID, nodes int) []messaging.ID {
	if len(voters) > nodes/2 {
		return voters
	}
	return nil
}
