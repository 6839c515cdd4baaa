// Package huntedring implements the token on a unidirectional ring that moves on demand:
// a node that wants to enter hunts the token forward, around the ring to itself.
//
// # Source
//
// F. Mattern, "Verteilte Algorithmen" 1999/2000, slide "Sonderfall Ring?", which has the
// idea and names no paper. The goal and the sweep are this library's.
//
// # Messages
//
//	Hunt{Origin}   Origin wants the token; it goes forward until it finds the token, or a
//	               node that hunts it already
//	Token{Goal}    the privilege to enter; it must still reach Goal, if any
//
// Both go to the successor: the node with the next number, and from the last to node 0.
//
// # State
//
//	Phase      idle, waiting or inside
//	Hunting    whether it has sent a Hunt since the token was here
//	HasToken   whether the token is here
//
// and while the token is here
//
//	Swept      whether this node was Hunting when the token came
//	Goal       that of the token; -1: none
//	Demand     the origin of a Hunt that came meanwhile; -1: none
//
// # Why a goal and a sweep
//
// A node that hunts forwards no other Hunt, and sends none when it wants to enter itself: the token
// will come by. So when the token leaves, it must continue for as long as the nodes in front of it
// are hunting, which is the sweep; these are the nodes between a requester and the place where its
// Hunt found the token. And it must get through nodes that no Hunt has passed, from there to the
// requester, which is the goal.
//
// Links must be FIFO, a question that the slide leaves open. If the token overtakes a Hunt, the
// Hunt runs behind it, and may be dropped where it began while the token rests elsewhere; then its
// origin waits forever.
//
// # Properties
//
// Mutual exclusion: only the node that has the token is inside. Starvation-free: each
// round of the token passes all that hunt it. Entries follow the order of the ring.
//
// A lone request at distance d, the hops from the node forward to the token, takes N+d messages: d
// Hunts, and N hops of the token, N-d to the node and d to sweep. It enters after N hops, and the
// token rests where it was. The request of the node that has the token takes none. If all nodes
// always want to enter, an entry takes at most two messages, a Hunt and a hop. The synchronization
// delay is T to (N-1)T. Any crash eventually blocks all other nodes. Withdraw only forgets the
// request: the token comes, and moves on.
package huntedring

import (
	"example.org/doorway/internal/node/invariant"
	"example.org/doorway/messaging"
)

// The messages, as above.
type (
	hunt  struct{ Origin messaging.ID }
	token struct{ Goal messaging.ID } // Goal is -1 if it need not reach any node
)

// none is no node.
const none messaging.ID = -1

// Protocol is the algorithm, for hosts that are told which one to run.
var Protocol = messaging.Protocol{
	Name:      "huntedring",
	New:       func(int) (messaging.Algorithm, error) { return New, nil },
	Kinds:     []messaging.Message{hunt{}, token{}},
	FIFO:      true,
	Invariant: invariant.OneToken[*node, token](func(n *node) bool { return n.HasToken }),
}

// New returns node start.Self. It is a [messaging.Algorithm], and its nodes implement
// [messaging.Withdrawer]. The token is at start.Holder first.
func New(start messaging.Start) messaging.Node {
	return &node{start: start, HasToken: start.Self == start.Holder, Goal: none, Demand: none}
}

type node struct {
	start messaging.Start

	Phase   messaging.Phase
	Hunting bool

	HasToken bool
	Swept    bool
	Goal     messaging.ID
	Demand   messaging.ID
}

func (n *node) Request(out messaging.Out) {
	n.Phase = messaging.Waiting
	switch {
	case n.HasToken:
		n.enter(out)
	case !n.Hunting:
		n.hunt(n.start.Self, out)
	}
}

func (n *node) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if why := n.impossible(from, m); why != "" {
		messaging.Refuse("huntedring", n.start.Self, from, m, why)
	}
	switch m := m.(type) {
	case hunt:
		n.hunted(m.Origin, out)
	case token:
		n.HasToken, n.Swept, n.Goal = true, n.Hunting, m.Goal
		n.Hunting = false
		if n.Phase == messaging.Waiting {
			n.enter(out)
		} else {
			n.onward(out)
		}
	}
}

func (n *node) hunted(origin messaging.ID, out messaging.Out) {
	switch {
	case origin == n.start.Self: // it has been all the way round
	case n.HasToken:
		n.Demand = origin
		if n.Phase == messaging.Idle {
			n.onward(out)
		}
	case !n.Hunting:
		n.hunt(origin, out)
	}
}

func (n *node) hunt(origin messaging.ID, out messaging.Out) {
	n.Hunting = true
	out.Send(n.successor(), hunt{origin})
}

func (n *node) enter(out messaging.Out) {
	n.Phase = messaging.Inside
	out.Enter()
}

func (n *node) Release(out messaging.Out) {
	n.Phase = messaging.Idle
	n.onward(out)
}

// Withdraw forgets the request. Its Hunt goes on, and so does the token when it comes.
func (n *node) Withdraw(messaging.Out) { n.Phase = messaging.Idle }

// onward passes the token on if it must reach a node, or sweep. Otherwise it rests here.
func (n *node) onward(out messaging.Out) {
	goal := n.farther(n.Goal, n.Demand)
	n.HasToken = goal == none && !n.Swept
	if !n.HasToken {
		out.Send(n.successor(), token{goal})
	}
	n.Swept, n.Goal, n.Demand = false, none, none
}

// farther returns which of two nodes is farther ahead, of those that are not this one.
func (n *node) farther(a, b messaging.ID) messaging.ID {
	switch ahead := max(n.ahead(a), n.ahead(b)); ahead {
	case 0:
		return none
	case n.ahead(a):
		return a
	default:
		return b
	}
}

// ahead returns the hops from this node forward to j, or 0 if j is none.
func (n *node) ahead(j messaging.ID) int {
	if j == none {
		return 0
	}
	return (int(j-n.start.Self) + n.start.Nodes) % n.start.Nodes
}

func (n *node) successor() messaging.ID { return (n.start.Self + 1) % messaging.ID(n.start.Nodes) }
