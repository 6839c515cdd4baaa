// Package naimitrehel implements the algorithm of Naimi and Trehel: a request is forwarded
// along a tree to the node that asked last, and every node on the way takes the
// requester as its new father. So the paths to the token remain short.
//
// # Source
//
// M. Naimi, M. Trehel, "An improvement of the log(n) distributed algorithm for mutual
// exclusion", 7th International Conference on Distributed Computing Systems, 1987.
// The mean of the messages is that of M. Naimi, M. Trehel, A. Arnold, "A log(N)
// distributed mutual exclusion algorithm based on path reversal", Journal of Parallel
// and Distributed Computing 34(1), 1996, 1-13.
//
// # Messages
//
//	Request{Origin}   node Origin asks for the token; forwarded from father to father
//	Token{}           the token, to the node that has waited for it
//
// Links need not be FIFO.
//
// # State
//
//	Phase    idle, waiting or inside
//	Father   the node that asked last, as far as this one knows; None: itself
//	Next     the node that gets the token on exit; None: none has asked
//	Token    it has the token
//
// The paper's "requesting" is that Phase is waiting or inside. Initially the node
// Start.Holder has the token and is the father of all others; [NewTree] takes any tree.
//
// # Properties
//
// Mutual exclusion: there is one token. A node without a father that is idle has it, and
// passes it to the next request that arrives; one that is not idle notes that request
// in Next. Its father is the requester from then on, so Next is set at most once for
// each of its own requests.
//
// Starvation-free: the fathers, together with the requests in transit, always form a
// tree, so each request arrives at a node without a father; along Next those form the
// queue of the waiting nodes, which is served in that order.
//
// An entry takes no messages if the token is here, and otherwise up to N-1 REQUEST and
// a TOKEN. If nodes drawn at random enter one after the other, an entry takes
// H(N-1) = 1 + 1/2 + ... + 1/(N-1) messages on average, those that take none included.
// The synchronization delay is T. Nodes keep nothing for each other node.
//
// A crash of the node with the token, or of one that waits, eventually blocks all others. A crash
// of an idle node blocks those whose requests pass it, and all that queue behind these. A node must
// not restart after a crash: it has forgotten its state, so mutual exclusion may be violated.
//
// An aborted request is absorbed: a node that withdrew it would forget Next, or send the
// token on twice.
package naimitrehel

import (
	"example.org/doorway/internal/node/invariant"
	"example.org/doorway/messaging"
)

// The messages, as above.
type (
	request struct{ Origin messaging.ID }
	token   struct{}
)

// None is no node, in Father and Next, and in the trees of [NewTree].
const None messaging.ID = -1

// Protocol is the algorithm, for hosts that are told which one to run.
var Protocol = messaging.Protocol{
	Name:      "naimitrehel",
	New:       func(int) (messaging.Algorithm, error) { return New, nil },
	Kinds:     []messaging.Message{request{}, token{}},
	Invariant: invariant.OneToken[*node, token](func(n *node) bool { return n.Token }),
}

// New returns node start.Self. Start.Holder has the token, and is the father of all others.
// New is a [messaging.Algorithm].
func New(start messaging.Start) messaging.Node {
	if start.Self == start.Holder {
		return newNode(start, None)
	}
	return newNode(start, start.Holder)
}

func newNode(start messaging.Start, father messaging.ID) *node {
	return &node{self: start.Self, nodes: start.Nodes, Father: father, Next: None, Token: father == None}
}

type node struct {
	self  messaging.ID
	nodes int

	Phase  messaging.Phase
	Father messaging.ID
	Next   messaging.ID
	Token  bool
}

func (n *node) Request(out messaging.Out) {
	if n.Father == None { // then the token is here
		n.enter(out)
		return
	}
	n.Phase = messaging.Waiting
	out.Send(n.Father, request{n.self})
	n.Father = None
}

func (n *node) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if why := n.impossible(from, m); why != "" {
		messaging.Refuse("naimitrehel", n.self, from, m, why)
	}
	switch r := m.(type) {
	case request:
		switch {
		case n.Father != None:
			out.Send(n.Father, m)
		case n.Phase == messaging.Idle: // then the token is here
			n.pass(r.Origin, out)
		default:
			n.Next = r.Origin
		}
		n.Father = r.Origin
	case token:
		n.Token = true
		n.enter(out)
	}
}

func (n *node) enter(out messaging.Out) {
	n.Phase = messaging.Inside
	out.Enter()
}

// pass sends the token to node to.
func (n *node) pass(to messaging.ID, out messaging.Out) {
	n.Token = false
	out.Send(to, token{})
}

func (n *node) Release(out messaging.Out) {
	n.Phase = messaging.Idle
	if n.Next != None {
		n.pass(n.Next, out)
		n.Next = None
	}
}
