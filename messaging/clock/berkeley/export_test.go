package berkeley

import (
	"example.org/doorway/messaging"
)

// Broken returns the algorithm with a rule that is wrong.
func Broken(daemon messaging.ID, c Config, rule string) messaging.Algorithm {
	good := New(daemon, c)
	return func(start messaging.Start) messaging.Node {
		return &broken{*good(start).(*node), rule}
	}
}

type broken struct {
	node
	rule string
}

func (n *broken) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	switch a := m.(type) {
	case Answer:
		if n.rule == "no correction for the round trip" {
			a.Time -= n.trip() / 2
		}
		m = a
	case Adjust:
		if n.rule == "each copy counts" {
			n.Due = a.Round == n.Round
		}
	}
	n.node.Receive(from, m, out)
}
