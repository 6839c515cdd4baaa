package reliable

import (
	"example.org/doorway/messaging"
)

// Broken returns the algorithm, without timers, with a rule that is wrong.
func Broken(rule string) messaging.Algorithm {
	return func(start messaging.Start) messaging.Node {
		n := New(0, 0)(start).(*node)
		if rule == "nothing is kept" {
			return &forgetful{*n}
		}
		return &faithless{*n} // promises are not kept
	}
}

type forgetful struct{ node }

func (n *forgetful) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	n.node.Receive(from, m, out)
	n.Kept = nil
}

// faithless goes into the view of a coordinator that is down, when another has asked it.
type faithless struct{ node }

func (n *faithless) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if _, ok := m.(Install); ok && n.By != n.start.Self {
		n.By = 0
	}
	n.node.Receive(from, m, out)
}
