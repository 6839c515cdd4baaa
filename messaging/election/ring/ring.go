// Package ring implements elections on a ring of which every node knows all nodes: with a
// list that collects the live ones ([New]), and with one round for each node ([NewNaive]).
//
// # Source
//
// Slides of HAW Hamburg, "Ring-Algorithmus", and of B. Prabhakaran, 48, after A. S. Tanenbaum's
// textbook. HAW attributes it to Chang and Roberts, whose algorithm is that of package
// [example.org/doorway/messaging/election/changroberts].
//
// # Messages
//
//	Election{Term, Members}     Members have passed it on, the last one first; Term is the latest that they know
//	Coordinator{Leader, Term}   Leader leads in Term
//
// Both go to the successor: the next node that is not said to be down.
//
// # Algorithm
//
// HOLD_ELECTION. A node sends an Election with itself as the only member.
//
// CONTINUE_ELECTION. A node that is not among the members adds itself in front, and sends the
// Election on. If it is, the Election has gone around: the largest member that is not said to be
// down leads, in a term that only it can begin ([election.NextTerm]), and the node
// sends a Coordinator.
//
// FINISH_ELECTION. A node sends a Coordinator on if it is new to it. On the slides it does not, so
// only the successor would learn of it. They send the list, of which only the largest member
// matters.
//
// Crashes are this library's, as the host detects them ([messaging.Survivor]). A node that follows
// one that is said to be down holds an election. If its successor is said to be down, it sends the
// next one what may be lost: the latest Coordinator, or, if it has sent an Election of which it
// has not seen the end, a new one.
//
// # Properties
//
// The live node with the largest number leads in the end, if a detector tells each node of each
// crash. Any number of nodes may crash; they must not restart. Without a detector no crash is
// tolerated. There is at most one leader a term, and at most one live one at a time
// ([election.OneAtATime]) if no live node is said to be down. No message may be lost in transit;
// links need not be FIFO.
//
// With m live nodes, an election takes m Elections and m Coordinators; if k nodes hold it at the
// same time, k·m and m.
package ring

import (
	"fmt"
	"slices"

	"example.org/doorway/internal/node/paths"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/election"
)

// Election collects the live nodes. Members are those that have passed it on, the last one
// first; Term is the latest term that they know.
type Election struct {
	Term    messaging.Time
	Members []messaging.ID
}

// Coordinator says that Leader leads in Term.
type Coordinator struct {
	Leader messaging.ID
	Term   messaging.Time
}

// Protocol is the algorithm of New on the ring of the numbers, for hosts that are told which one
// to run.
var Protocol = messaging.Protocol{
	Name:    "ring",
	New:     func(int) (messaging.Algorithm, error) { return New(nil), nil },
	Kinds:   []messaging.Message{election.Hold{}, Election{}, Coordinator{}},
	Results: election.Results,
}

// New returns the algorithm on a ring: ring[k+1] is the successor of ring[k], and ring[0] that
// of the last. If ring is nil, the successor of a node is the node with the next number, and
// that of the last is node 0. New panics if ring is not nil and not a permutation of 0 to
// len(ring)-1. The algorithm panics if it is started with another number of nodes than
// len(ring).
func New(ring []messaging.ID) messaging.Algorithm {
	others := following(ring)
	return func(start messaging.Start) messaging.Node {
		return &node{start: start, others: others(start), Leader: none}
	}
}

// following returns a function that returns the other nodes, in their order on the ring after one.
func following(ring []messaging.ID) func(messaging.Start) []messaging.ID {
	var next []messaging.ID
	if ring != nil {
		next = paths.Successors("ring", ring)
	}
	return func(start messaging.Start) (others []messaging.ID) {
		if ring != nil && len(ring) != start.Nodes {
			panic(fmt.Sprintf("ring: a ring of %d nodes for %d", len(ring), start.Nodes))
		}
		for j := start.Self; len(others) < start.Nodes-1; {
			if ring == nil {
				j = (j + 1) % messaging.ID(start.Nodes)
			} else {
				j = next[j]
			}
			others = append(others, j)
		}
		return others
	}
}

// none is no node.
const none messaging.ID = -1

type node struct {
	start  messaging.Start
	others []messaging.ID // in their order on the ring

	Leader  messaging.ID   // -1: none is known
	Term    messaging.Time // of the latest Coordinator; 0: there was none
	Awaits  messaging.Time // the least term that ends each election for which it has sent an Election; 0: all have ended
	Crashed messaging.Set  // the nodes that are said to be down
}

func (n *node) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if why := n.impossible(from, m); why != "" {
		messaging.Refuse("ring", n.start.Self, from, m, why)
	}
	switch m := m.(type) {
	case election.Hold:
		if n.Awaits == 0 {
			n.hold(out)
		}
	case Election:
		if slices.Contains(m.Members, n.start.Self) {
			leader := n.largest(m.Members)
			n.learn(Coordinator{leader, election.NextTerm(m.Term, leader, n.start.Nodes)}, out)
		} else {
			n.ask(Election{max(n.Term, m.Term), slices.Concat([]messaging.ID{n.start.Self}, m.Members)}, out)
		}
	case Coordinator:
		n.learn(m, out)
	}
}

// hold is HOLD_ELECTION, also of a node that takes part in one.
func (n *node) hold(out messaging.Out) {
	n.ask(Election{n.Term, []messaging.ID{n.start.Self}}, out)
}

func (n *node) ask(e Election, out messaging.Out) {
	n.Awaits = max(n.Awaits, e.Term+1)
	out.Send(n.successor(), e)
}

// successor returns the next node that is not said to be down; the node itself, if it is alone.
func (n *node) successor() messaging.ID {
	for _, j := range n.others {
		if !n.Crashed.Has(j) {
			return j
		}
	}
	return n.start.Self
}

// largest returns the largest of the members that is not said to be down. The node is one.
func (n *node) largest(members []messaging.ID) messaging.ID {
	leader := n.start.Self
	for _, j := range members {
		if !n.Crashed.Has(j) {
			leader = max(leader, j)
		}
	}
	return leader
}

// learn handles a Coordinator that the node gets, or that it sends first.
func (n *node) learn(c Coordinator, out messaging.Out) {
	if c.Term <= n.Term {
		return // it has gone around, or there was a later one
	}
	n.Leader, n.Term = c.Leader, c.Term
	if c.Term >= n.Awaits {
		n.Awaits = 0
	}
	if n.Crashed.Has(c.Leader) {
		n.hold(out)
		return
	}
	out.Emit(election.Elected{Leader: c.Leader, Term: c.Term})
	out.Send(n.successor(), c)
}

// Down holds an election if peer leads. If peer was the successor, what was sent to it may be
// lost.
func (n *node) Down(peer messaging.ID, out messaging.Out) {
	follows := n.successor() == peer
	n.Crashed.Add(peer)
	switch {
	case n.Leader == peer, follows && n.Awaits != 0:
		n.hold(out)
	case follows && n.Leader != none:
		out.Send(n.successor(), Coordinator{n.Leader, n.Term})
	}
}
