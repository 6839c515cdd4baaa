package tokenring

import (
	"cmp"

	"example.org/doorway/internal/node/impossible"
	"example.org/doorway/messaging"
)

// impossible returns why node from cannot have sent m; "" if it can.
func (n *node) impossible(from messaging.ID, m messaging.Message) string {
	switch m := m.(type) {
	case token:
		return cmp.Or(
			impossible.If((from+1)%messaging.ID(n.start.Nodes) != n.start.Self, "this node is not the successor of its sender"),
			impossible.If(m.Hops < 1 || m.Hops > n.start.Nodes, "its hops are not 1 to the number of nodes"),
			impossible.If(n.HasToken, "this node has the token"),
		)
	case resume:
		return impossible.If(from != n.start.Self || !n.Timed, "this node has set no such timer")
	}
	return "it is not a message of this algorithm"
}
