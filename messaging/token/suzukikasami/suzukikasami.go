// Package suzukikasami implements the token algorithm of Suzuki and Kasami: a node that
// wants to enter asks all others for the token, and the token carries a queue of those
// that wait.
//
// # Source
//
// I. Suzuki, T. Kasami, "A distributed mutual exclusion algorithm", ACM Transactions on
// Computer Systems 3(4), 1985, 344-349.
//
// # Messages
//
//	Request{Number}   the sender asks for the token, for the Number-th time
//	Token{LN, Q}      the privilege to enter; it exists once
//
// Links need not be FIFO. A request that arrives late or twice is recognized by its number.
//
// # State
//
//	Phase      idle, waiting or inside
//	RN         by node, the largest number of its requests seen
//	HasToken   the token is here
//	LN         of the token: by node, the number of its request that was served last
//	Q          of the token: the nodes that get it next, in this order
//
// LN and Q are empty at a node without the token. Node j waits for the token if RN[j] > LN[j].
//
// # Properties
//
// Mutual exclusion: only the node with the token enters, and there is one token.
//
// Starvation-free. On exit, the nodes that are known to wait join Q, in ascending order, so
// after its request has arrived everywhere a node waits for at most one entry of each other.
// An entry takes N-1 Requests and a Token, or no message if the token is here. The
// synchronization delay is T. A node that has or will get the token must not crash; a crash of
// any other blocks only the node itself.
//
// # Departures
//
// The paper serves node j if RN[j] = LN[j]+1. That is the same here as RN[j] > LN[j]: a node
// asks again only when its last request was served.
package suzukikasami

import (
	"slices"

	"example.org/doorway/internal/node/invariant"
	"example.org/doorway/messaging"
)

// Request asks for the token. Number is never 0.
type Request struct{ Number uint64 }

// Token is the privilege to enter.
type Token struct {
	LN []uint64
	Q  []messaging.ID
}

// Protocol is the algorithm, for hosts that are told which one to run.
var Protocol = messaging.Protocol{
	Name:  "suzukikasami",
	New:   func(int) (messaging.Algorithm, error) { return New, nil },
	Kinds: []messaging.Message{Request{}, Token{}},

	Invariant: invariant.OneToken[*node, Token](func(n *node) bool { return n.HasToken }),
}

// New returns node start.Self. It is a [messaging.Algorithm]; start.Holder has the token
// first. Requests cannot be withdrawn, since the others know of them: the host absorbs
// those that are aborted.
func New(start messaging.Start) messaging.Node {
	n := &node{start: start, RN: make([]uint64, start.Nodes)}
	if start.Self == start.Holder {
		n.HasToken, n.LN = true, make([]uint64, start.Nodes)
	}
	return n
}

type node struct {
	start messaging.Start

	Phase    messaging.Phase
	RN       []uint64
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
	n.RN[n.start.Self]++
	var request messaging.Message = Request{n.RN[n.start.Self]}
	for j := range n.start.Others() {
		out.Send(j, request)
	}
}

func (n *node) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if why := n.impossible(from, m); why != "" {
		messaging.Refuse("suzukikasami", n.start.Self, from, m, why)
	}
	switch m := m.(type) {
	case Request:
		n.RN[from] = max(n.RN[from], m.Number)
		if n.HasToken && n.Phase == messaging.Idle && n.waits(from) {
			n.Q = append(n.Q, from) // Q was empty
			n.pass(out)
		}
	case Token:
		// The copies are this node's to change. m is not: it may be shared.
		n.HasToken, n.LN, n.Q = true, slices.Clone(m.LN), slices.Clone(m.Q)
		n.enter(out)
	}
}

func (n *node) enter(out messaging.Out) {
	n.Phase = messaging.Inside
	out.Enter()
}

func (n *node) Release(out messaging.Out) {
	n.Phase = messaging.Idle
	n.LN[n.start.Self] = n.RN[n.start.Self]
	n.enqueue()
	n.pass(out)
}

// waits reports whether a request of node j is not served yet. The token must be here.
func (n *node) waits(j messaging.ID) bool { return n.RN[j] > n.LN[j] }

// enqueue appends the nodes that wait to Q, each once.
func (n *node) enqueue() {
	var queued messaging.Set
	for _, j := range n.Q {
		queued.Add(j)
	}
	for j := range n.start.Others() {
		if n.waits(j) && !queued.Has(j) {
			n.Q = append(n.Q, j)
		}
	}
}

// pass sends the token to the head of Q, if there is one.
func (n *node) pass(out messaging.Out) {
	if len(n.Q) > 0 {
		out.Send(n.Q[0], Token{n.LN, n.Q[1:]})
		n.HasToken, n.LN, n.Q = false, nil, nil
	}
}
