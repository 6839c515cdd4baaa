package intervals

import (
	"cmp"

	"example.org/doorway/internal/node/impossible"
	"example.org/doorway/messaging"
)

// impossible returns why node from cannot have sent m; "" if it can.
func (n *node) impossible(from messaging.ID, m messaging.Message) string {
	switch m := m.(type) {
	case request:
		return cmp.Or(impossible.Other(n.start.Self, from, m.Of), impossible.If(m.From >= m.To, "the interval is empty"))
	case reply:
		atMost := messaging.Stamp{Time: messaging.Time(n.Highest)} // one that was withdrawn may be answered later
		return impossible.To(n.start.Self, m.To, atMost)
	}
	return "it is not a message of this algorithm"
}
