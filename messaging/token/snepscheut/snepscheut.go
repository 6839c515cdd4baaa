// Package snepscheut implements the algorithm of van de Snepscheut: on any connected graph,
// each link has a direction, and every directed path leads to the node with the token.
// A request follows such a path; the token returns on it, and turns the links of each
// node that it visits.
//
// # Source
//
// J. L. A. van de Snepscheut, "Fair mutual exclusion on a graph of processes",
// Distributed Computing 2(2), 1987, 113-115. Also in F. Mattern, "Verteilte Algorithmen",
// slides "Verallgemeinerung auf allg. Graphen" and "Tokenanforderung".
//
// # Messages
//
//	Request{}     a neighbor asks for the token, for itself or another
//	Token{Hop}    the token; Hop is the number of links that it has passed
//	Invert{Hop}   the sender got the token with that Hop: the link leads to it now
//
// Links need not be FIFO. No message is acknowledged.
//
// # State
//
//	Phase   idle, waiting or inside
//	Token   it has the token
//	Stamp   the Hop with which the token came here last; 0: never
//	Known   by neighbor, the largest Stamp that this node knows of it
//	Queue   the neighbors that ask for the token, and the node itself, first come first
//	Asked   the neighbor that the node has asked for the token; negative: none
//
// A link leads to the end with the larger stamp. Of equal stamps, which only nodes have
// that the token has not visited, that of the node nearer to the one that has it first
// counts as larger, and at the same distance that of the smaller number. So it
// leads away from a node if Known of its neighbor is larger than its own Stamp.
//
// # Properties
//
// Mutual exclusion: there is one token.
//
// Starvation-free: stamps only grow, and a node knows of its neighbors no more than is
// true, so each link that it takes to lead away leads to a larger stamp, and there is no
// cycle. One such link is that by which the token left, or, before its first visit,
// that to a neighbor nearer to it. So every path ends at the token, each request stays
// at all nodes on its path until the token has come back, and queues are FIFO.
//
// An entry takes no messages if the token is here. At low load it takes d Requests and d
// Tokens on a path of d links, and an Invert for each further link that led away from
// a node on the path. The synchronization delay is T for each link on the token's path.
// Nodes keep something for each neighbor, and for no other node.
//
// A crash blocks the nodes whose paths lead through the node that has crashed, and all if it has or
// will get the token. A node must not restart after a crash: it has forgotten whether it has the
// token, so mutual exclusion may be violated.
//
// # Departures
//
// The lecture asks whether a node that turns its links must wait for acknowledgements.
// With stamps it need not: an Invert that arrives late, when the token has been here
// since, has the smaller stamp and turns nothing. Without them, it makes a link lead
// away from the node with the token: see the variant snepscheut/unstamped of
// [example.org/doorway/catalog].
package snepscheut

import (
	"cmp"
	"slices"

	"example.org/doorway/internal/node/paths"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/topology"
)

// The messages, as above.
type (
	request struct{}
	token   struct{ Hop messaging.Time } // Hop is at least 1
	invert  struct{ Hop messaging.Time }
)

// Protocol is the algorithm on [Graph], for hosts that are told which one to run.
var Protocol = messaging.Protocol{
	Name:      "snepscheut",
	New:       func(n int) (messaging.Algorithm, error) { return New(Graph(n)), nil },
	Kinds:     []messaging.Message{request{}, token{}, invert{}},
	Invariant: holds,
}

// Graph returns the graph of n nodes of [Protocol]: a grid, as nearly square as there is;
// or, if n is prime, a connected graph with 3n/2 links drawn at random, always the same. It
// panics if n < 1.
func Graph(n int) topology.Graph {
	rows := 1
	for r := 2; r*r <= n; r++ {
		if n%r == 0 {
			rows = r
		}
	}
	if rows > 1 {
		return topology.Grid(rows, n/rows)
	}
	return topology.Random(n, min(3*n/2, n*(n-1)/2), 1)
}

// New returns the algorithm for the nodes of a graph. Start.Holder has the token first.
// Nodes implement [messaging.Withdrawer]. New panics unless the graph is connected, with
// each link in both directions.
func New(graph topology.Graph) messaging.Algorithm {
	if err := paths.CheckUndirected(graph); err != nil {
		panic("snepscheut: " + err.Error())
	}
	links := make(topology.Graph, len(graph))
	for i, neighbors := range graph {
		links[i] = slices.Clone(neighbors)
	}
	routes := paths.Router(links)
	return messaging.On(links, func(start messaging.Start) messaging.Node {
		distance := routes(start.Holder).Distance
		n := &node{
			self: start.Self, neighbors: start.Neighbors,
			distance: distance[start.Self], Token: start.Self == start.Holder, Known: make([]messaging.Time, len(start.Neighbors)), Asked: none,
		}
		for _, j := range n.neighbors {
			n.distances = append(n.distances, distance[j])
		}
		return n
	})
}

// none is no node.
const none messaging.ID = -1

type node struct {
	self      messaging.ID
	neighbors []messaging.ID // in ascending order
	distance  int            // from the node that has the token first
	distances []int          // those of the neighbors

	Phase messaging.Phase
	Token bool
	Stamp messaging.Time
	Known []messaging.Time
	Queue []messaging.ID
	Asked messaging.ID
}

func (n *node) Request(out messaging.Out) {
	n.Phase = messaging.Waiting
	n.Queue = append(n.Queue, n.self)
	n.proceed(out)
}

func (n *node) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if why := n.impossible(from, m); why != "" {
		messaging.Refuse("snepscheut", n.self, from, m, why)
	}
	switch m := m.(type) {
	case request:
		n.Queue = append(n.Queue, from)
		n.proceed(out)
	case token:
		n.visited(from, m.Hop, out)
		n.proceed(out)
	case invert:
		n.Known[n.index(from)] = m.Hop // later than what was known: a node is not told again before it knows
	}
}

// visited takes the token, and turns the links that led away: node from has turned its own.
func (n *node) visited(from messaging.ID, hop messaging.Time, out messaging.Out) {
	var invert messaging.Message = invert{hop}
	for k, j := range n.neighbors {
		if j != from && n.away(k) {
			out.Send(j, invert)
		}
	}
	n.Token, n.Stamp, n.Asked = true, hop, none
}

// proceed serves the head of the queue if the token is here, and otherwise asks for it.
func (n *node) proceed(out messaging.Out) {
	if n.Token && n.Phase != messaging.Inside && len(n.Queue) > 0 {
		next := n.Queue[0]
		n.Queue = slices.Delete(n.Queue, 0, 1)
		if next == n.self {
			n.Phase = messaging.Inside
			out.Enter()
			return
		}
		n.Token = false
		n.Known[n.index(next)] = n.Stamp + 1
		out.Send(next, token{n.Stamp + 1})
	}
	if !n.Token && len(n.Queue) > 0 && n.Asked == none {
		n.Asked = n.latest()
		out.Send(n.Asked, request{})
	}
}

func (n *node) Release(out messaging.Out) {
	n.Phase = messaging.Idle
	n.proceed(out)
}

// Withdraw leaves the queue. If no other node is in it, a token that was asked for stays
// here when it comes.
func (n *node) Withdraw(messaging.Out) {
	n.Phase = messaging.Idle
	k := slices.Index(n.Queue, n.self)
	n.Queue = slices.Delete(n.Queue, k, k+1)
}

// away reports whether the link to the k-th neighbor leads away from the node.
func (n *node) away(k int) bool {
	return cmp.Or(cmp.Compare(n.Known[k], n.Stamp), cmp.Compare(n.distance, n.distances[k]), cmp.Compare(n.self, n.neighbors[k])) > 0
}

// latest returns the neighbor with the largest stamp known: without the token here, the link to
// it leads away.
func (n *node) latest() messaging.ID {
	latest := 0
	for k := range n.neighbors {
		if cmp.Or(cmp.Compare(n.Known[k], n.Known[latest]), cmp.Compare(n.distances[latest], n.distances[k])) > 0 {
			latest = k // of equal ones the smallest number
		}
	}
	return n.neighbors[latest]
}

// index returns the place of a neighbor among them; -1 if it is none.
func (n *node) index(j messaging.ID) int {
	k, found := slices.BinarySearch(n.neighbors, j)
	if !found {
		return -1
	}
	return k
}
