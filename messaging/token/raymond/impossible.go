package raymond

import (
	"slices"

	"example.org/doorway/internal/node/impossible"
	"example.org/doorway/messaging"
)

// impossible returns why node from cannot have sent m; "" if it can.
func (n *node) impossible(from messaging.ID, m messaging.Message) string {
	if _, neighbor := slices.BinarySearch(n.neighbors, from); !neighbor {
		return "it is not a neighbor"
	}
	switch m.(type) {
	case request:
		if from == n.Holder && !n.Asked {
			return "the token is in its direction, and was not sent for"
		}
		return impossible.If(slices.Contains(n.Queue, from), "it has asked already")
	case token:
		return impossible.If(from != n.Holder || !n.Asked, "this node has not asked it")
	}
	return "it is not a message of this algorithm"
}
