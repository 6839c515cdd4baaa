package link

import (
	"example.org/doorway/internal/node/layer"
	"example.org/doorway/messaging"
)

// Can reports whether n is of a kind: what the inner node is, and always a Starter and a Survivor.
func (n *node) Can(kind any) bool {
	switch kind.(type) {
	case *messaging.Starter, *messaging.Survivor:
		return true
	}
	return layer.Can(n.Inner, kind)
}

// Nested returns the inner node.
func (n *node) Nested() messaging.Node { return n.Inner }

// act has the inner node handle an event, and then its messages to itself.
func (n *node) act(out messaging.Out, handle func(out messaging.Out)) {
	defer n.end()
	handle(n.begin(out))
	n.settle()
}

func (n *node) Request(out messaging.Out)  { n.act(out, n.Inner.(messaging.Exclusion).Request) }
func (n *node) Release(out messaging.Out)  { n.act(out, n.Inner.(messaging.Exclusion).Release) }
func (n *node) Withdraw(out messaging.Out) { n.act(out, n.Inner.(messaging.Withdrawer).Withdraw) }

func (n *node) Excludes(other messaging.ID) bool {
	return n.Inner.(messaging.Sharer).Excludes(other)
}

func (n *node) Epoch() uint64 { return n.Inner.(messaging.Epocher).Epoch() }
