// Package ricartagrawala1983 implements the token algorithm of Ricart and Agrawala: a node
// that wants to enter asks all others for the token, which then goes around the nodes that
// wait, in the order of their numbers.
//
// # Source
//
// G. Ricart, A. K. Agrawala, "Author's response to 'On mutual exclusion in computer networks'
// by Carvalho and Roucairol", Communications of the ACM 26(2), 1983, 147-148.
//
// # Messages
//
//	Request{Number}   the sender asks for the token, for the Number-th time
//	Token{L}          the privilege to enter; it exists once
//
// Links need not be FIFO. A request that arrives late or twice is recognized by its number.
//
// # State
//
//	Phase      idle, waiting or inside
//	R          by node, the largest number of its requests seen
//	HasToken   the token is here
//	L          of the token: by node, the number of its request that was served last
//
// L is empty at a node without the token. Node j waits for the token if R[j] > L[j].
//
// # Properties
//
// Mutual exclusion: only the node with the token enters, and there is one token.
//
// Starvation-free. The token goes from node i to the first of i+1, ..., N-1, 0, ..., i-1 that is
// known to wait, so after its request has arrived everywhere a node waits for at most one
// entry of each other. An entry takes N-1 Requests and a Token, or no message if the token is
// here. The synchronization delay is T. A node that has or will get the token must not crash; a
// crash of any other blocks only the node itself.
//
// It differs from the algorithm of Suzuki and Kasami in the order: the token has no queue, and
// is shorter for it.
//
// # Departures
//
// The paper numbers requests by a clock. Only numbers of the same node are compared, so here
// each node counts its own.
package ricartagrawala1983

import (
	"slices"

	"example.org/doorway/internal/node/invariant"
	"example.org/doorway/messaging"
)

// The messages, as above.
type (
	request struct{ Number uint64 } // Number is never 0
	token   struct{ L []uint64 }
)

// Protocol is the algorithm, for hosts that are told which one to run.
var Protocol = messaging.Protocol{
	Name:  "ricartagrawala1983",
	New:   func(int) (messaging.Algorithm, error) { return New, nil },
	Kinds: []messaging.Message{request{}, token{}},

	Invariant: invariant.OneToken[*node, token](func(n *node) bool { return n.HasToken }),
}

// New returns node start.Self. It is a [messaging.Algorithm]; start.Holder has the token
// first. Requests cannot be withdrawn, since the others know of them: the host absorbs
// those that are aborted.
func New(start messaging.Start) messaging.Node {
	n := &node{start: start, R: make([]uint64, start.Nodes)}
	if start.Self == start.Holder {
		n.HasToken, n.L = true, make([]uint64, start.Nodes)
	}
	return n
}

type node struct {
	start messaging.Start

	Phase    messaging.Phase
	R        []uint64
	HasToken bool
	L        []uint64
}

func (n *node) Request(out messaging.Out) {
	if n.HasToken {
		n.enter(out)
		return
	}
	n.Phase = messaging.Waiting
	n.R[n.start.Self]++
	var request messaging.Message = request{n.R[n.start.Self]}
	for j := range n.start.Others() {
		out.Send(j, request)
	}
}

func (n *node) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if why := n.impossible(from, m); why != "" {
		messaging.Refuse("ricartagrawala1983", n.start.Self, from, m, why)
	}
	switch m := m.(type) {
	case request:
		n.R[from] = max(n.R[from], m.Number)
		if n.HasToken && n.Phase == messaging.Idle {
			n.pass(out)
		}
	case token:
		n.HasToken, n.L = true, slices.Clone(m.L) // a copy to change; m may be shared
		n.enter(out)
	}
}

func (n *node) enter(out messaging.Out) {
	n.Phase = messaging.Inside
	out.Enter()
}

func (n *node) Release(out messaging.Out) {
	n.Phase = messaging.Idle
	n.L[n.start.Self] = n.R[n.start.Self]
	n.pass(out)
}

// pass sends the token to the next node that waits, if there is one.
func (n *node) pass(out messaging.Out) {
	for k := 1; k < n.start.Nodes; k++ {
		j := (int(n.start.Self) + k) % n.start.Nodes
		if n.R[j] > n.L[j] {
			out.Send(messaging.ID(j), token{n.L})
			n.HasToken, n.L = false, nil
			return
		}
	}
}
