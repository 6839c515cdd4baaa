package heartbeat

import (
	"example.org/doorway/internal/node/impossible"
	"example.org/doorway/messaging"
)

// impossible returns why no run delivers m, or "". The node of the algorithm judges its own
// messages.
func (n *node) impossible(from messaging.ID, m messaging.Message) string {
	switch m.(type) {
	case tick:
		return impossible.If(from != n.start.Self, "a timer is that of its node")
	case beat:
		return impossible.If(from == n.start.Self, "a node does not send to itself")
	}
	return ""
}
