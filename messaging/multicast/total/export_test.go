package total

import (
	"math"

	"example.org/doorway/messaging"
)

// Broken returns the algorithm with a rule that is wrong.
func Broken(rule string) messaging.Algorithm {
	return func(start messaging.Start) messaging.Node {
		n := node{start: start, Latest: make([]messaging.Time, start.Nodes)}
		if rule == "no acks are sent" {
			return &silent{n}
		}
		return &hasty{n} // one node is not waited for
	}
}

// hasty does not wait for the node after it.
type hasty struct{ node }

func (n *hasty) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	n.node.Receive(from, m, out)
	if next := int(n.start.Self+1) % n.start.Nodes; n.Latest[next] != math.MaxUint64 {
		n.Latest[next] = math.MaxUint64
		n.deliver(out)
	}
}

type silent struct{ node }

func (n *silent) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	n.node.Receive(from, m, mute{out})
}

// mute sends no Ack.
type mute struct{ messaging.Out }

func (o mute) Send(to messaging.ID, m messaging.Message) {
	if _, ack := m.(Ack); !ack {
		o.Out.Send(to, m)
	}
}
