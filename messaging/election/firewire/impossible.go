package firewire

import (
	"cmp"
	"slices"

	"example.org/doorway/internal/node/impossible"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/election"
)

// impossible returns why node from cannot have sent m; "" if it can.
func (n *node) impossible(from messaging.ID, m messaging.Message) string {
	self := n.start.Self
	_, linked := slices.BinarySearch(n.start.Neighbors, from)
	stranger := impossible.If(!linked, "there is no link to this node")
	switch m.(type) {
	case election.Hold:
		return impossible.If(from != self, "only its user has a node hold an election")
	case beMyParent:
		return cmp.Or(
			stranger,
			impossible.If(n.Children.Has(from), "that node is a child already"),
			// By number, its request may have crossed this node's, and its acknowledgement overtaken that.
			impossible.If(n.Parent == from && (!n.byID || from < self), "that node is the parent"),
		)
	case youAreMyChild:
		return cmp.Or(
			stranger,
			impossible.If(from != n.Asked || n.Contends, "this node has not asked that node to be its parent"),
			impossible.If(n.Parent != none, "this node has a parent already"),
		)
	case again:
		return impossible.If(n.byID || from != self || n.Asked == none, "there is no such timer")
	}
	return "it is not a message of this algorithm"
}
