package lamport

import (
	"cmp"

	"example.org/doorway/internal/impossible"
	"example.org/doorway/messaging"
)

// impossible returns why m cannot come from that node; "" if it can.
func (n *node) impossible(from messaging.ID, m messaging.Message) string {
	switch m := m.(type) {
	case Request:
		return impossible.Of(from, m.Of)
	case Reply:
		return stamped(from, m.At)
	case Release:
		return cmp.Or(impossible.Of(from, m.Of), stamped(from, m.At))
	}
	return "it is not a message of this algorithm"
}

// stamped is for what node from has sent at that time.
func stamped(from messaging.ID, at messaging.Stamp) string {
	return impossible.If(at.ID != from || at.Time == 0, "the stamp is not the sender's")
}
