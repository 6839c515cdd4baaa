// Package echo implements searches for a token in networks in which nodes send only to
// neighbors: by the echo algorithm in any connected network, and by a flood in a tree.
//
// # Source
//
// F. Mattern, Verteilte Algorithmen, 1999/2000, "Token-basierte Algorithmen", names both in a
// line each; the rules are this library's. The echo algorithm is from E. J. H. Chang, "Echo
// algorithms: depth parallel operations on general graphs", IEEE Transactions on Software
// Engineering SE-8(4), 1982, 391-401. The token is that of I. Suzuki, T. Kasami, "A
// distributed mutual exclusion algorithm", ACM Transactions on Computer Systems 3(4), 1985,
// 344-349.
//
// # Messages
//
//	Explore{Origin, Number}   the wave of request Number of node Origin
//	Echo{Origin, Number}      the wave has come back from beyond the sender; not in a tree
//	Token{To, LN, Q}          the privilege to enter, on its way to node To; it exists once
//
// Links need not be FIFO, but must not duplicate messages, since those of a wave are counted.
//
// # State
//
//	Phase      idle, waiting or inside
//	RN         by node, the number of its latest wave seen
//	Parent     by node, the neighbor from which that wave came first: the way to the node
//	Missing    by node, the number of neighbors from which a message of that wave is awaited
//	Asked      the wave of the waiting request has begun
//	HasToken   the token is here
//	LN         of the token: by node, the number of its request that was served last
//	Q          of the token: the nodes that get it next, in this order
//
// LN and Q are empty at a node without the token. Node j waits for the token if RN[j] > LN[j].
//
// # Rules
//
// A node that wants the token sends Explore to its neighbors. Where a wave arrives first from
// the Parent, it is sent on to all other neighbors. A node that has got a message of the wave
// from each neighbor sends Echo to the Parent; when the origin has, its wave is over. The
// token goes to the origin by way of the Parents.
//
// On exit, the nodes that are known to wait join Q. The token goes to the first node of Q whose
// wave has arrived here. If there is none, it stays until one arrives: the token may be faster
// than the wave of a node that joined Q elsewhere, and without the wave there is no way known.
//
// A node begins a wave when its last one is over, so two waves of a node do not meet. In a
// tree nothing comes back, and no node knows when a wave is over: a late wave is known by its
// number.
//
// # Properties
//
// Mutual exclusion: only the node with the token enters, and there is one token.
//
// Starvation-free. With E links, a wave takes 2E messages, and in a tree N-1. The token takes d
// more, the length of its way. An entry takes none if the token is here. The synchronization
// delay is dT. A node that has the token, waits for it or is on its way must not crash. Where
// waves echo, no node may: no wave ends any more, and so each node begins at most one further.
package echo

import (
	"fmt"
	"slices"

	"example.org/doorway/internal/node/invariant"
	"example.org/doorway/internal/node/paths"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/topology"
)

// The messages, as above.
type (
	// Number is never 0.
	explore struct {
		Origin messaging.ID
		Number uint64
	}

	echo struct {
		Origin messaging.ID
		Number uint64
	}

	token struct {
		To messaging.ID
		LN []uint64
		Q  []messaging.ID
	}
)

// Protocol is the search by echo, for hosts that are told which algorithm to run. Its network
// is that of [Graph].
var Protocol = messaging.Protocol{
	Name:  "echo",
	New:   func(n int) (messaging.Algorithm, error) { return New(Graph(n)), nil },
	Kinds: []messaging.Message{explore{}, echo{}, token{}},

	Invariant: oneToken,
}

// Graph returns the network of n nodes of [Protocol]: a random tree with n/2 links more, or as
// many as there can be, the same for all runs. It panics if n < 1.
func Graph(n int) topology.Graph { return topology.Random(n, min(n-1+n/2, n*(n-1)/2), 1) }

// Tree is the search in a tree, by default a binary one.
var Tree = messaging.Protocol{
	Name:  "echo-tree",
	New:   func(n int) (messaging.Algorithm, error) { return NewTree(topology.Tree(n, 2)), nil },
	Kinds: []messaging.Message{explore{}, token{}},

	Invariant: oneToken,
}

var oneToken = invariant.OneToken[*node, token](func(n *node) bool { return n.HasToken })

// New returns the search by echo in a network. start.Holder has the token first. Requests
// cannot be withdrawn, since others know of them: the host absorbs those that are aborted. New
// panics if the network is not connected, or has a link in one direction only.
func New(network topology.Graph) messaging.Algorithm {
	return on(network, paths.CheckUndirected(network), true)
}

// NewTree returns the search in a tree, without echoes. It panics if the network is no tree.
func NewTree(tree topology.Graph) messaging.Algorithm {
	return on(tree, paths.CheckTree(tree), false)
}

func on(network topology.Graph, invalid error, echoes bool) messaging.Algorithm {
	if invalid != nil {
		panic(fmt.Sprintf("echo: %v", invalid))
	}
	return messaging.On(network, func(start messaging.Start) messaging.Node {
		n := &node{
			start: start, echoes: echoes,
			RN: make([]uint64, start.Nodes), Parent: slices.Repeat([]messaging.ID{-1}, start.Nodes), Missing: make([]int, start.Nodes),
		}
		if start.Self == start.Holder {
			n.HasToken, n.LN = true, make([]uint64, start.Nodes)
		}
		return n
	})
}

type node struct {
	start  messaging.Start
	echoes bool // else the network is a tree

	Phase    messaging.Phase
	RN       []uint64
	Parent   []messaging.ID
	Missing  []int
	Asked    bool
	HasToken bool
	LN       []uint64
	Q        []messaging.ID
}

func (n *node) Request(out messaging.Out) {
	if n.HasToken {
		n.enter(out)
		return
	}
	n.Phase = messaging.Waiting
	if n.Missing[n.start.Self] == 0 {
		n.ask(out)
	}
}

// ask begins a wave.
func (n *node) ask(out messaging.Out) {
	self := n.start.Self
	n.Asked = true
	n.RN[self]++
	n.spread(explore{self, n.RN[self]}, self, out)
}

func (n *node) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if why := n.impossible(from, m); why != "" {
		messaging.Refuse("echo", n.start.Self, from, m, why)
	}
	switch m := m.(type) {
	case explore:
		switch {
		case m.Number > n.RN[m.Origin]:
			n.RN[m.Origin], n.Parent[m.Origin] = m.Number, from
			n.spread(m, from, out)
			if n.HasToken && n.Phase == messaging.Idle {
				n.pass(out)
			}
		case n.echoes:
			n.count(m.Origin, out)
		}
	case echo:
		n.count(m.Origin, out)
	case token:
		if m.To != n.start.Self {
			out.Send(n.Parent[m.To], m)
			return
		}
		// The copies are this node's to change. m is not: it may be shared.
		n.Asked, n.HasToken, n.LN, n.Q = false, true, slices.Clone(m.LN), slices.Clone(m.Q)
		n.enter(out)
	}
}

// spread sends the wave to all neighbors but from, of which each will answer.
func (n *node) spread(wave explore, from messaging.ID, out messaging.Out) {
	var m messaging.Message = wave
	asked := 0
	for _, j := range n.start.Neighbors {
		if j != from {
			out.Send(j, m)
			asked++
		}
	}
	if n.echoes {
		n.Missing[wave.Origin] = asked
		n.endIfComplete(wave.Origin, out)
	}
}

// count counts a message of the wave of node o.
func (n *node) count(o messaging.ID, out messaging.Out) {
	n.Missing[o]--
	n.endIfComplete(o, out)
}

// endIfComplete ends the wave of node o here, if it has come back from all neighbors.
func (n *node) endIfComplete(o messaging.ID, out messaging.Out) {
	switch {
	case n.Missing[o] > 0:
	case o != n.start.Self:
		out.Send(n.Parent[o], echo{o, n.RN[o]})
	case n.Phase == messaging.Waiting && !n.Asked:
		n.ask(out)
	}
}

func (n *node) enter(out messaging.Out) {
	n.Phase = messaging.Inside
	out.Enter()
}

func (n *node) Release(out messaging.Out) {
	n.Phase = messaging.Idle
	n.LN[n.start.Self] = n.RN[n.start.Self]
	n.pass(out)
}

// waits reports whether a request of node j is not served yet, and its wave has arrived here.
// The token must be here.
func (n *node) waits(j messaging.ID) bool { return n.RN[j] > n.LN[j] }

// pass appends the nodes that wait to Q, each once, and sends the token to the first of Q to
// which it knows the way.
func (n *node) pass(out messaging.Out) {
	queued := messaging.SetOf(n.Q...)
	for j := range n.start.Others() {
		if n.waits(j) && !queued.Has(j) {
			n.Q = append(n.Q, j)
		}
	}
	if k := slices.IndexFunc(n.Q, n.waits); k >= 0 {
		to := n.Q[k]
		out.Send(n.Parent[to], token{to, n.LN, slices.Delete(n.Q, k, k+1)})
		n.HasToken, n.LN, n.Q = false, nil, nil
	}
}
