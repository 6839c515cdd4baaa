// Package raymond implements the algorithm of Raymond: the nodes form a tree, each knows
// in which direction the token is, requests go that way, and the token comes back along
// their path.
//
// # Source
//
// K. Raymond, "A tree-based algorithm for distributed mutual exclusion", ACM Transactions
// on Computer Systems 7(1), 1989, 61-77. J. L. A. van de Snepscheut, "Fair mutual exclusion
// on a graph of processes", Distributed Computing 2(2), 1987, 113-115, has the same idea
// for graphs.
//
// # Messages
//
//	Request   the sender wants the token, for itself or for a neighbor
//	Token     the privilege to enter; there is one
//
// Neither has contents, and nodes send to neighbors only. Links need not be FIFO. Two
// messages are on the same link only if a Token is followed by a Request. If the Request
// overtakes the Token, the receiver queues it, as it does with any other.
//
// # State
//
//	Holder   the neighbor in whose direction the token is; the node itself: it is here
//	Using    whether the node is inside
//	Asked    whether Holder has been sent a Request that the Token has not yet answered
//	Queue    the neighbors that have sent a Request, and the node itself if it waits, each
//	         at most once, in the order of their requests
//
// The edges to the Holders lead from every node to the token. So a node keeps nothing
// about nodes other than its neighbors, and the state of all nodes together is in
// proportion to their number.
//
// # Asked
//
// Asked is false again when the token arrives. The paper resets it where it serves the
// first of the Queue, which has the same effect. A lecture's sketch omits it if the first is
// the node itself, and then the node never asks again: see the variant raymond/still-asked of
// [example.org/doorway/catalog].
//
// # Properties
//
// Mutual exclusion: there is one token. Starvation-free: each queue is FIFO, and a node
// that has passed the token on while others wait asks for it at once. Entries need not
// follow the order of the requests, since the requests from one direction share one
// Request: one that joins such a Request goes before those that came to the queue after it.
//
// A lone request at distance d from the token takes 2d messages, none if the token is
// here, and 2d T until the entry. At high load, the token goes over each edge twice for n
// entries, each time for a Request, so an entry takes 4(n-1)/n messages, whatever the
// tree. The synchronization delay is T for each edge between the two nodes: in a balanced
// tree O(log n), in a star at most 2T, in a line up to (n-1)T.
//
// A withdrawn request leaves the Queue of its node, but the Request that was sent for it
// stays; a token that is no longer wanted stays where it arrives. A node that crashes separates
// the parts of the tree that it joins: those without the token wait forever. The package
// has no recovery: if the first holder restarts, there may be two tokens.
package raymond

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
	request struct{}
	token   struct{}
)

// Protocol is the algorithm on a balanced binary tree, for hosts that are told which one
// to run.
var Protocol = messaging.Protocol{
	Name:  "raymond",
	New:   func(n int) (messaging.Algorithm, error) { return New(topology.Tree(n, 2)), nil },
	Kinds: []messaging.Message{request{}, token{}},

	Invariant: invariant.OneToken[*node, token]((*node).hasToken),
}

// New returns the algorithm on a tree, with the token at Start.Holder first. Its nodes
// implement [messaging.Withdrawer]. It panics if tree is not a tree.
func New(tree topology.Graph) messaging.Algorithm {
	return on(tree, func(n node) messaging.Node { return &n })
}

// on returns the algorithm that makes a node of a tree from its part that is the same in all
// forms of the algorithm.
func on(tree topology.Graph, form func(n node) messaging.Node) messaging.Algorithm {
	if err := paths.CheckTree(tree); err != nil {
		panic(fmt.Sprintf("raymond: %v", err))
	}
	routes := paths.Router(tree)
	return messaging.On(tree, func(start messaging.Start) messaging.Node {
		return form(node{
			self: start.Self, neighbors: start.Neighbors,
			Holder: routes(start.Holder).Next[start.Self],
		})
	})
}

type node struct {
	self      messaging.ID
	neighbors []messaging.ID

	Holder messaging.ID
	Using  bool
	Asked  bool
	Queue  []messaging.ID
}

func (n *node) Request(out messaging.Out) {
	n.Queue = append(n.Queue, n.self)
	n.assignOrAsk(out)
}

func (n *node) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	n.note(from, m)
	n.assignOrAsk(out)
}

func (n *node) Release(out messaging.Out) {
	n.Using = false
	n.assignOrAsk(out)
}

// Withdraw removes the node's request from its queue. If the token has been sent for, it
// still comes.
func (n *node) Withdraw(messaging.Out) { n.remove(slices.Index(n.Queue, n.self)) }

// assignOrAsk is the paper's ASSIGN_PRIVILEGE followed by its MAKE_REQUEST.
func (n *node) assignOrAsk(out messaging.Out) {
	if n.free() {
		n.assign(0, out)
	}
	n.ask(out)
}

// note enters what a message says into the state.
func (n *node) note(from messaging.ID, m messaging.Message) {
	if why := n.impossible(from, m); why != "" {
		messaging.Refuse("raymond", n.self, from, m, why)
	}
	switch m.(type) {
	case request:
		n.Queue = append(n.Queue, from)
	case token:
		n.Holder, n.Asked = n.self, false
	}
}

func (n *node) hasToken() bool { return n.Holder == n.self }

// free reports whether the token is here and can be given to one in the queue.
func (n *node) free() bool { return n.hasToken() && !n.Using && len(n.Queue) > 0 }

// assign gives the token to the one at place k of the queue.
func (n *node) assign(k int, out messaging.Out) {
	n.Holder = n.Queue[k]
	n.remove(k)
	if n.hasToken() {
		n.Using = true
		out.Enter()
	} else {
		out.Send(n.Holder, token{})
	}
}

// ask asks for the token if the queue is not empty and it was not asked for.
func (n *node) ask(out messaging.Out) {
	if !n.hasToken() && len(n.Queue) > 0 && !n.Asked {
		n.Asked = true
		out.Send(n.Holder, request{})
	}
}

// remove removes the one at place k of the queue.
func (n *node) remove(k int) { n.Queue = slices.Delete(n.Queue, k, k+1) }
