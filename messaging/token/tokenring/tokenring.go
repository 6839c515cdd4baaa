// Package tokenring implements the perpetuum mobile: a token circulates on a ring of all
// nodes, and a node that wants to enter does so when the token arrives, once per visit.
//
// # Source
//
// G. Le Lann, "Distributed systems - towards a formal approach", IFIP Congress 1977,
// 155-160; as in H. P. Reiser, "Verteilte Algorithmen", Erlangen 2002, slide 5.38. The pause is
// this library's.
//
// # Messages
//
//	Token{Hops}   the privilege to enter, with the hops since an exit or a pause
//	Resume        the timer of the node that pauses
//
// The successor of a node is the one with the next number, and that of the last is node 0.
// Links need not be FIFO, as a single message is in transit.
//
// # State
//
//	Phase      idle, waiting or inside
//	HasToken   whether the token is here
//	Timed      whether the timer runs
//
// # The pause
//
// By the printed rule the token never stops, and an idle system sends messages as fast as
// it can. Here a token that has been all the way round, so that no node wanted it, pauses
// at the node that used it last, and then goes round again. A request of that node enters
// at once, and any other at most a pause and N hops later. While nodes enter, the token
// does not pause.
//
// If the node that pauses enters, its timer goes on. When it expires the node may pause
// again: that pause is shorter, which does no harm. So a node has one timer at most.
//
// # Properties
//
// Mutual exclusion: only the node that has the token is inside. Starvation-free: a node enters when
// the token comes by, after at most one entry of each other node. That is not the order of the
// requests. If all nodes always want to enter, an entry takes one message; the fewer want to, the
// more it takes, without bound. With a moving token, 0 to N-1 more hops follow a request, (N-1)/2
// on average, after the one under way, if any; the synchronization delay is T to (N-1)T. Any crash
// eventually blocks all other nodes. Withdraw only forgets the request.
package tokenring

import (
	"fmt"
	"time"

	"example.org/doorway/internal/node/invariant"
	"example.org/doorway/messaging"
)

// The messages, as above.
type (
	token  struct{ Hops int } // Hops is at least 1
	resume struct{}
)

// clusterPause is the pause of Protocol, for a cluster.Cluster: about as long as a request waits
// at most in an idle ring. With a shorter one, such a ring takes more of a processor.
const clusterPause = 4 * time.Millisecond

// Protocol is the algorithm with a pause for a cluster.Cluster, 4 ms. The last kind is
// the timer.
var Protocol = messaging.Protocol{
	Name:      "tokenring",
	New:       func(int) (messaging.Algorithm, error) { return New(clusterPause), nil },
	Kinds:     []messaging.Message{token{}, resume{}},
	Perpetual: true,
	Invariant: invariant.OneToken[*node, token](func(n *node) bool { return n.HasToken }),
}

// New returns the algorithm in which an unused token pauses for that long after each round.
// The token is at start.Holder first. Its nodes implement [messaging.Withdrawer]. A
// cluster.Cluster that is not closed is not garbage collected, as the token moves. New
// panics if pause is not positive.
func New(pause time.Duration) messaging.Algorithm {
	if pause <= 0 {
		panic(fmt.Sprintf("tokenring: New(%v): the pause must be positive, or an idle ring never rests", pause))
	}
	return func(start messaging.Start) messaging.Node {
		return &node{start: start, pause: pause, HasToken: start.Self == start.Holder}
	}
}

type node struct {
	start messaging.Start
	pause time.Duration

	Phase    messaging.Phase
	HasToken bool
	Timed    bool
}

// Start has the token pause at its first holder.
func (n *node) Start(out messaging.Out) {
	if n.HasToken {
		n.rest(out)
	}
}

func (n *node) Request(out messaging.Out) {
	n.Phase = messaging.Waiting
	if n.HasToken {
		n.enter(out)
	}
}

func (n *node) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if why := n.impossible(from, m); why != "" {
		messaging.Refuse("tokenring", n.start.Self, from, m, why)
	}
	switch m := m.(type) {
	case token:
		n.HasToken = true
		switch {
		case n.Phase == messaging.Waiting:
			n.enter(out)
		case m.Hops == n.start.Nodes:
			n.rest(out)
		default:
			n.pass(m.Hops+1, out)
		}
	case resume:
		n.Timed = false
		if n.HasToken && n.Phase == messaging.Idle {
			n.pass(1, out)
		}
	}
}

func (n *node) enter(out messaging.Out) {
	n.Phase = messaging.Inside
	out.Enter()
}

// Release passes the token on even if this node asks again at once: others come first.
func (n *node) Release(out messaging.Out) {
	n.Phase = messaging.Idle
	n.pass(1, out)
}

// Withdraw forgets the request; the token passes by.
func (n *node) Withdraw(messaging.Out) { n.Phase = messaging.Idle }

// rest keeps the token until the timer expires.
func (n *node) rest(out messaging.Out) {
	if !n.Timed {
		n.Timed = true
		out.After(n.pause, resume{})
	}
}

func (n *node) pass(hops int, out messaging.Out) {
	n.HasToken = false
	out.Send((n.start.Self+1)%messaging.ID(n.start.Nodes), token{hops})
}
