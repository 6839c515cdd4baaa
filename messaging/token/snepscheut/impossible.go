package snepscheut

import (
	"cmp"
	"slices"

	"example.org/doorway/internal/node/impossible"
	"example.org/doorway/messaging"
)

// impossible returns why node from cannot have sent m; "" if it can.
func (n *node) impossible(from messaging.ID, m messaging.Message) string {
	k := n.index(from)
	if k < 0 {
		return "it is no neighbor"
	}
	switch m := m.(type) {
	case request:
		return impossible.If(slices.Contains(n.Queue, from), "that node has asked already")
	case token:
		return cmp.Or(
			impossible.If(n.Asked != from, "that node was not asked for the token"),
			impossible.If(m.Hop < 1 || m.Hop <= n.Stamp, "the token was here later"),
		)
	case invert:
		return cmp.Or(
			impossible.If(m.Hop < 1, "the token has not moved yet"),
			impossible.If(m.Hop == n.Stamp, "the token was here then"),
			impossible.If(m.Hop <= n.Known[k], "a visit as late is known already"),
		)
	}
	return "it is not a message of this algorithm"
}
