package raymond

import (
	"slices"

	"example.org/doorway/internal/node/impossible"
	"example.org/doorway/internal/node/invariant"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/topology"
)

// privilege is the Token of NewMerged. If RequestBack is set, it is the Request for its
// return, too.
type privilege struct{ RequestBack bool }

// Merged is the algorithm of NewMerged on a balanced binary tree.
var Merged = messaging.Protocol{
	Name:  "raymond-merged",
	New:   func(n int) (messaging.Algorithm, error) { return NewMerged(topology.Tree(n, 2)), nil },
	Kinds: []messaging.Message{request{}, privilege{}},

	Invariant: invariant.OneToken[*merged, privilege]((*merged).hasToken),
}

// NewMerged returns the algorithm in which a node that passes the token on while others wait
// does not send a Request after it, but has the token say so. (F. Mattern, "Verteilte
// Algorithmen" 1999/2000.) At high load this saves a message whenever the token leaves a node
// to which it must return. NewMerged panics as New does.
func NewMerged(tree topology.Graph) messaging.Algorithm {
	return on(tree, func(n node) messaging.Node { return &merged{n} })
}

// A merged node sends Privileges in place of Tokens.
type merged struct{ node }

func (n *merged) Request(out messaging.Out) {
	n.Queue = append(n.Queue, n.self)
	n.assignOrAsk(out)
}

func (n *merged) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if why := n.impossible(from, m); why != "" {
		messaging.Refuse("raymond", n.self, from, m, why)
	}
	switch m := m.(type) {
	case request:
		n.Queue = append(n.Queue, from)
	case privilege:
		n.Holder, n.Asked = n.self, false
		if m.RequestBack {
			n.Queue = append(n.Queue, from)
		}
	}
	n.assignOrAsk(out)
}

func (n *merged) Release(out messaging.Out) {
	n.Using = false
	n.assignOrAsk(out)
}

func (n *merged) assignOrAsk(out messaging.Out) {
	if !n.free() || n.Queue[0] == n.self {
		n.node.assignOrAsk(out)
		return
	}
	n.Holder = n.Queue[0]
	n.remove(0)
	n.Asked = len(n.Queue) > 0
	out.Send(n.Holder, privilege{RequestBack: n.Asked})
}

func (n *merged) impossible(from messaging.ID, m messaging.Message) string {
	p, ok := m.(privilege)
	if !ok {
		_, other := m.(token)
		if other {
			return "it is not a message of this algorithm"
		}
		return n.node.impossible(from, m)
	}
	if why := n.node.impossible(from, token{}); why != "" {
		return why
	}
	return impossible.If(p.RequestBack && slices.Contains(n.Queue, from), "it has asked already")
}
