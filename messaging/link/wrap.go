package link

import (
	"example.org/doorway/internal/wrap"
	"example.org/doorway/messaging"
)

// Can reports whether n is of a kind: what the inner node is, and always a Starter and a Survivor.
func (n *node) Can(kind any) bool {
	switch kind.(type) {
	case *messaging.Starter, *messaging.Survivor:
		return true
	}
	return wrap.Can(n.Inner, kind)
}

// link returns the node, also of one that embeds it.
func (n *node) link() *node { return n }

// Held returns the inner node.
func (n *node) Held() messaging.Node { return n.Inner }

func (n *node) Request(out messaging.Out) {
	defer n.end()
	n.Inner.(messaging.Exclusion).Request(n.begin(out))
	n.settle()
}

func (n *node) Release(out messaging.Out) {
	defer n.end()
	n.Inner.(messaging.Exclusion).Release(n.begin(out))
	n.settle()
}

func (n *node) Withdraw(out messaging.Out) {
	defer n.end()
	n.Inner.(messaging.Withdrawer).Withdraw(n.begin(out))
	n.settle()
}

func (n *node) Excludes(other messaging.ID) bool {
	return n.Inner.(messaging.Sharer).Excludes(other)
}

func (n *node) Epoch() uint64 { return n.Inner.(messaging.Epocher).Epoch() }
