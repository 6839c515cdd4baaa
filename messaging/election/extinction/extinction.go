// Package extinction implements elections by message extinction on any connected network: the
// number of each candidate spreads as a wave, which goes no further where a larger number is
// known.
//
// # Source
//
// F. Mattern, Verteilte Algorithmen, 1999/2000, "Election mit message extinction" and "Der
// Election-Algorithmus": an instance of the distributed approximation of his book, Verteilte
// Basisalgorithmen, 1989. That it ends by an echo answers a question of the slides. The echo algorithm
// is from E. J. H. Chang, "Echo algorithms: depth parallel operations on general graphs", IEEE
// Transactions on Software Engineering SE-8(4), 1982.
//
// # Messages
//
//	Explore{Candidate}   the wave of Candidate
//	Echo{Candidate}      the wave has come back from beyond the sender; not of NewPlain
//	Leader{ID}           ID leads; not of NewPlain
//
// All go to neighbors.
//
// # State
//
//	M          the largest candidate that is known: M_p of the slides; -1: none
//	Parent     the neighbor from which its wave came; the node itself, if it is its own
//	Missing    the number of neighbors from which a message of that wave is awaited
//	Children   the neighbors that have echoed that wave
//	Leader     who leads; -1: not known
//
// # Algorithm
//
// A node that holds an election is a candidate, if M is smaller, and sends its wave to all
// neighbors. A node that gets a larger candidate than M sends its wave on to all other
// neighbors; of smaller ones it sends nothing. That is all of [NewPlain]: in the end M is
// the same everywhere, but no node knows when. It emits [Largest] each time that M grows.
//
// With echoes ([New]), a node that has got a message of the wave of M from each neighbor
// sends Echo to Parent. No wave comes back where it met a larger one. So the candidate whose
// wave comes back leads, and all know it when its Leader has come down the tree of Children.
//
// Here a node that a wave has reached is no longer a candidate. On the slides it may still be one,
// if its number is larger; but the wave may have been echoed, and there would be a second leader.
//
// A node may also be made a candidate by the first wave that reaches it, if its number is larger
// (wakeJoins).
//
// # Properties
//
// The largest candidate leads. With wakeJoins that is the largest node, whichever nodes hold the
// election; without, the only candidate, if one node holds it. No crash is tolerated, no message
// may be lost or duplicated, and there is only one election. Links need not be FIFO.
//
// In a network of N nodes and E links, a single wave takes 2E-N+1 Explores, and k candidates at
// most k times as many. The echoes of a wave are N-1 at most, and the Leaders N-1.
package extinction

import (
	"fmt"

	"example.org/doorway/internal/node/paths"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/election"
	"example.org/doorway/messaging/topology"
)

// The messages, as above.
type (
	explore struct{ Candidate messaging.ID }
	echo    struct{ Candidate messaging.ID }
	leader  struct{ ID messaging.ID }
)

// Largest is emitted by a node of NewPlain: ID is the largest candidate that it knows so far.
type Largest struct{ ID messaging.ID }

// Protocol is the algorithm of New without wakeJoins, on a random network that is the same for all
// runs, for hosts that are told which one to run.
var Protocol = messaging.Protocol{
	Name:    "extinction",
	New:     func(n int) (messaging.Algorithm, error) { return New(network(n), false), nil },
	Kinds:   []messaging.Message{election.Hold{}, explore{}, echo{}, leader{}},
	Results: election.Results,
}

// Plain is the algorithm of NewPlain without wakeJoins, on the same network.
var Plain = messaging.Protocol{
	Name:    "extinction-plain",
	New:     func(n int) (messaging.Algorithm, error) { return NewPlain(network(n), false), nil },
	Kinds:   []messaging.Message{election.Hold{}, explore{}},
	Results: approximation,
}

func network(n int) topology.Graph { return topology.Random(n, min(n-1+n/2, n*(n-1)/2), 1) }

// New returns the algorithm with echoes. If wakeJoins, a node that a smaller candidate wakes is
// a candidate, too. New panics if the network is not connected, or has a link in one direction only.
func New(network topology.Graph, wakeJoins bool) messaging.Algorithm {
	return on(network, node{joins: wakeJoins, echoes: true})
}

// NewPlain returns the algorithm without echoes, in which no node knows when the election is over. Its
// arguments and panics are those of [New].
func NewPlain(network topology.Graph, wakeJoins bool) messaging.Algorithm {
	return on(network, node{joins: wakeJoins})
}

func on(network topology.Graph, initial node) messaging.Algorithm {
	if err := paths.CheckUndirected(network); err != nil {
		panic(fmt.Sprintf("extinction: %v", err))
	}
	return messaging.On(network, func(start messaging.Start) messaging.Node {
		n := initial
		n.start, n.M, n.Parent, n.Leader = start, none, none, none
		return &n
	})
}

// none is no node, and smaller than all.
const none messaging.ID = -1

type node struct {
	start         messaging.Start
	joins, echoes bool

	M        messaging.ID
	Parent   messaging.ID
	Missing  int
	Children messaging.Set
	Leader   messaging.ID
}

func (n *node) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if why := n.impossible(from, m); why != "" {
		messaging.Refuse("extinction", n.start.Self, from, m, why)
	}
	self := n.start.Self
	switch m := m.(type) {
	case election.Hold:
		if n.M == none || n.M < self && !n.echoes {
			n.spread(self, self, out)
		}
	case explore:
		switch {
		case n.M == none && m.Candidate < self && n.joins:
			n.spread(self, self, out)
		case m.Candidate > n.M:
			n.spread(m.Candidate, from, out)
		case m.Candidate == n.M:
			n.count(out)
		}
	case echo:
		if m.Candidate == n.M {
			n.Children.Add(from)
			n.count(out)
		}
	case leader:
		n.follow(out)
	}
}

// spread sends the wave of a larger candidate to all neighbors but from, of which each will
// answer unless it knows a larger one.
func (n *node) spread(candidate, from messaging.ID, out messaging.Out) {
	n.M, n.Parent, n.Missing = candidate, from, 0
	clear(n.Children)
	if !n.echoes {
		out.Emit(Largest{candidate})
	}
	for _, j := range n.start.Neighbors {
		if j != from {
			out.Send(j, explore{candidate})
			n.Missing++
		}
	}
	n.endIfComplete(out)
}

// count counts a message of the wave of M.
func (n *node) count(out messaging.Out) {
	n.Missing--
	n.endIfComplete(out)
}

// endIfComplete echoes the wave of M if it has come back from all neighbors. If it is the node's
// own, the node leads.
func (n *node) endIfComplete(out messaging.Out) {
	switch {
	case n.Missing > 0 || !n.echoes:
	case n.M == n.start.Self:
		n.follow(out)
	default:
		out.Send(n.Parent, echo{n.M})
	}
}

// follow ends the election at this node: M leads.
func (n *node) follow(out messaging.Out) {
	n.Leader = n.M
	out.Emit(election.Elected{Leader: n.M})
	for j := range n.Children.All() {
		out.Send(j, leader{n.M})
	}
}

// approximation is the [messaging.Results] of [NewPlain]: what is known of a node grows, it is known of
// candidates only, and in the end all know the same. It expects that a node holds the election, and
// none crashes.
func approximation(o messaging.Outcome) error {
	last := make([]messaging.ID, len(o.Emitted))
	candidates := messaging.Set{}
	for i, values := range o.Emitted {
		last[i] = none
		for _, v := range values {
			m, ok := v.(Largest)
			if !ok {
				continue
			}
			if m.ID <= last[i] {
				return fmt.Errorf("node %d has known node %d, and then %d", i, last[i], m.ID)
			}
			last[i] = m.ID
			if m.ID == messaging.ID(i) {
				candidates.Add(m.ID)
			}
		}
	}
	for i, id := range last {
		switch {
		case id != none && !candidates.Has(id):
			return fmt.Errorf("node %d knows node %d, which is no candidate", i, id)
		case o.Over && id == none:
			return fmt.Errorf("node %d knows no candidate", i)
		case o.Over && id != last[0]:
			return fmt.Errorf("node 0 knows node %d, and node %d knows node %d", last[0], i, id)
		}
	}
	return nil
}
