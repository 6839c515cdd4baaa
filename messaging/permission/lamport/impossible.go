package lamport

import (
	"cmp"

	"example.org/doorway/internal/node/impossible"
	"example.org/doorway/messaging"
)

// impossible returns why node from cannot have sent m; "" if it can.
func (n *node) impossible(from messaging.ID, m messaging.Message) string {
	switch m := m.(type) {
	case request:
		return impossible.Other(n.start.Self, from, m.Of)
	case reply:
		return stamped(from, m.At)
	case release:
		return cmp.Or(impossible.Other(n.start.Self, from, m.Of), stamped(from, m.At))
	}
	return "it is not a message of this algorithm"
}

// stamped checks the time at which node from has sent a message.
func stamped(from messaging.ID, at messaging.Stamp) string {
	return impossible.If(at.ID != from || at.Time == 0, "the stamp is not the sender's")
}
