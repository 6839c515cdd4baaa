package heartbeat

import (
	"example.org/doorway/internal/impossible"
	"example.org/doorway/messaging"
)

// impossible returns why no run delivers m, or "". The node of the algorithm judges its own
// messages.
func (n *node) impossible(from messaging.ID, m messaging.Message) string {
	switch m.(type) {
	case Tick:
		return impossible.If(from != n.start.Self, "a timer is that of its node")
	case Beat:
		return impossible.If(from == n.start.Self, "a node does not send to itself")
	}
	return ""
}
