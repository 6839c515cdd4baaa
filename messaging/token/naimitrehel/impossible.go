package naimitrehel

import (
	"cmp"

	"example.org/doorway/internal/node/impossible"
	"example.org/doorway/messaging"
)

// impossible returns why node from cannot have sent m; "" if it can.
func (n *node) impossible(from messaging.ID, m messaging.Message) string {
	switch m := m.(type) {
	case request:
		return cmp.Or(
			impossible.If(from == n.self, "a node sends nothing to itself"),
			impossible.If(m.Origin < 0 || int(m.Origin) >= n.nodes, "there is no such node"),
			impossible.If(m.Origin == n.self, "the request is its own"),
			impossible.If(m.Origin == n.Next, "that node waits for the token already"),
		)
	case token:
		return cmp.Or(
			impossible.If(from == n.self, "a node sends nothing to itself"),
			impossible.If(n.Phase != messaging.Waiting, "it does not wait for the token"),
		)
	}
	return "it is not a message of this algorithm"
}
