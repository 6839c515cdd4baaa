package huntedring

import (
	"cmp"

	"example.org/doorway/internal/node/impossible"
	"example.org/doorway/messaging"
)

// impossible returns why node from cannot have sent m; "" if it can.
func (n *node) impossible(from messaging.ID, m messaging.Message) string {
	nodes := messaging.ID(n.start.Nodes)
	stranger := impossible.If(from == n.start.Self || (from+1)%nodes != n.start.Self, "this node is not the successor of its sender")
	switch m := m.(type) {
	case hunt:
		return cmp.Or(stranger, impossible.If(m.Origin < 0 || m.Origin >= nodes, "its origin is not a node"))
	case token:
		return cmp.Or(
			stranger,
			impossible.If(m.Goal != none && (m.Goal < 0 || m.Goal >= nodes), "its goal is not a node"),
			impossible.If(m.Goal == from, "its goal is the sender"),
			impossible.If(n.HasToken, "this node has the token"),
		)
	}
	return "it is not a message of this algorithm"
}
