package intervals

import (
	"cmp"

	"example.org/doorway/internal/impossible"
	"example.org/doorway/messaging"
)

// impossible returns why node from cannot have sent m; "" if it can.
func (n *node) impossible(from messaging.ID, m messaging.Message) string {
	switch m := m.(type) {
	case Request:
		return cmp.Or(impossible.Of(from, m.Of), impossible.If(m.From >= m.To, "the interval is empty"))
	case Reply:
		return impossible.To(n.start.Self, m.To, n.Mine)
	}
	return "it is not a message of this algorithm"
}
