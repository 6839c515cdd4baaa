package cristian

import (
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/clock"
)

// Broken returns the algorithm with a rule that is wrong.
func Broken(server messaging.ID, c Config, rule string) messaging.Algorithm {
	good := New(server, c)
	return func(start messaging.Start) messaging.Node {
		return &broken{*good(start).(*node), rule}
	}
}

type broken struct {
	node
	rule string
}

func (n *broken) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if r, ok := m.(Reply); ok {
		switch n.rule {
		case "no correction for the round trip":
			r.Time -= n.trip() / 2
		case "replies to earlier requests count":
			r.Number = n.Number
		case "the last reply counts":
			n.Error = 0
		}
		m = r
	}
	n.node.Receive(from, m, out)
	if _, ticks := m.(clock.Tick); ticks && n.rule == "the drift is forgotten" && n.Error != 0 && !n.serves() {
		n.Error -= n.drift(n.c.Tick)
	}
}
