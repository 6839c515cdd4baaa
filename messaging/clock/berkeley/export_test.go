package berkeley

import (
	"time"

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
	if n.rule == "a clock is set back" {
		n.Clock.Shown = n.Clock.Time
	}
}

// Lasting returns the algorithm with clocks that stop after so many ticks: it has finitely many
// states.
func Lasting(a messaging.Algorithm, ticks int) messaging.Algorithm {
	return func(start messaging.Start) messaging.Node { return &lasting{*a(start).(*broken), ticks} }
}

type lasting struct {
	broken
	Left int
}

func (n *lasting) Start(out messaging.Out) { n.broken.Start(stopping{out, n}) }

func (n *lasting) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	n.broken.Receive(from, m, stopping{out, n})
}

type stopping struct {
	messaging.Out
	*lasting
}

func (o stopping) After(d time.Duration, m messaging.Message) {
	if o.Left > 0 {
		o.Left--
		o.Out.After(d, m)
	}
}
