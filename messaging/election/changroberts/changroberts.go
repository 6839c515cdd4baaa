// Package changroberts implements the election of E. Chang and R. Roberts on a
// unidirectional ring: each candidate sends its number around, and larger numbers
// extinguish smaller ones on their way.
//
// # Source
//
// E. Chang, R. Roberts, "An improved algorithm for decentralized extrema-finding in circular
// configurations of processes", Communications of the ACM 22(5), 1979. F. Mattern has it as the
// "2. Idee" of his lecture (Verteilte Algorithmen 1999/2000).
//
// # Messages
//
//	Elect{Candidate}   Candidate wants to lead
//	Leader{ID}         ID leads
//
// Both go to the successor on the ring.
//
// # Properties
//
// The largest number leads. Nodes need not know how many there are. No crash is tolerated: a
// message that reaches a crashed node is lost, and the election with it.
//
// Links need not be FIFO for one election. On FIFO links, a node that holds another election learns
// of the leader again. Otherwise its Elect may overtake the Leader of the previous election, and be
// extinguished by a node that still takes part in it: then no node answers.
//
// If all N nodes hold the election at the same time, it takes 2N-1 Elects if the numbers
// ascend in the direction of sending, N(N+1)/2 if they descend, and on average over all orders
// N·H_N, where H_N = 1 + 1/2 + ... + 1/N; and N Leaders. If only the largest holds it, N Elects.
package changroberts

import (
	"fmt"

	"example.org/doorway/internal/node/paths"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/election"
)

// The messages, as above.
type (
	elect  struct{ Candidate messaging.ID }
	leader struct{ ID messaging.ID }
)

// Protocol is the algorithm on the ring of the numbers, for hosts that are told which one to
// run.
var Protocol = messaging.Protocol{
	Name:    "changroberts",
	New:     func(int) (messaging.Algorithm, error) { return New(nil), nil },
	Kinds:   []messaging.Message{election.Hold{}, elect{}, leader{}},
	Results: election.Results,
}

// New returns the algorithm on a ring: ring[k+1] is the successor of ring[k], and ring[0] that
// of the last. If ring is nil, the successor of a node is the node with the next number, and
// that of the last is node 0. New panics if ring is not nil and not a permutation of 0 to
// len(ring)-1. The algorithm panics if it is started with another number of nodes than
// len(ring).
func New(ring []messaging.ID) messaging.Algorithm {
	var next []messaging.ID
	if ring != nil {
		next = paths.Successors("changroberts", ring)
	}
	return func(start messaging.Start) messaging.Node {
		n := &node{start: start, next: (start.Self + 1) % messaging.ID(start.Nodes), Leader: none}
		if ring != nil {
			if len(ring) != start.Nodes {
				panic(fmt.Sprintf("changroberts: a ring of %d nodes for %d", len(ring), start.Nodes))
			}
			n.next = next[start.Self]
		}
		return n
	}
}

// none is no node.
const none messaging.ID = -1

type node struct {
	start messaging.Start
	next  messaging.ID

	Participant bool         // in an election
	Leader      messaging.ID // of the last one; -1: none
}

func (n *node) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if why := n.impossible(from, m); why != "" {
		messaging.Refuse("changroberts", n.start.Self, from, m, why)
	}
	self := n.start.Self
	switch m := m.(type) {
	case election.Hold:
		if !n.Participant {
			n.Participant = true
			out.Send(n.next, elect{self})
		}
	case elect:
		switch {
		case m.Candidate > self:
			n.Participant = true
			out.Send(n.next, m)
		case m.Candidate < self && !n.Participant:
			n.Participant = true
			out.Send(n.next, elect{self})
		case m.Candidate == self:
			n.follow(self, out)
			out.Send(n.next, leader{self})
		}
	case leader:
		if m.ID != self {
			n.follow(m.ID, out)
			out.Send(n.next, m)
		}
	}
}

// follow ends the election at this node.
func (n *node) follow(leader messaging.ID, out messaging.Out) {
	n.Participant, n.Leader = false, leader
	out.Emit(election.Elected{Leader: leader})
}
