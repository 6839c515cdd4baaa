package ring

import (
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/election"
)

// probe is the message of Origin in NewNaive. Largest is the largest number that it has met.
type probe struct{ Origin, Largest messaging.ID }

// Naive is the algorithm of NewNaive on the ring of the numbers.
var Naive = messaging.Protocol{
	Name:    "ring-naive",
	New:     func(int) (messaging.Algorithm, error) { return NewNaive(nil), nil },
	Kinds:   []messaging.Message{election.Hold{}, probe{}},
	Results: election.Results,
}

// NewNaive returns the election without extinction, F. Mattern's "1. Idee" (Verteilte Algorithmen
// 1999/2000): each node wakes up, at the latest when a message arrives, and sends a Probe all
// around the ring, which reports whether it has met a larger number. Here it reports the
// largest, so that all nodes learn who leads, and not only the leader.
//
// With N nodes it takes N² messages, whoever holds it. No crash is survived, and there is one
// election only. Links need not be FIFO. The ring is as in [New], and so are the panics.
func NewNaive(ring []messaging.ID) messaging.Algorithm {
	others := following(ring)
	return func(start messaging.Start) messaging.Node {
		n := &naive{self: start.Self, nodes: start.Nodes, next: start.Self}
		if later := others(start); len(later) > 0 {
			n.next = later[0]
		}
		return n
	}
}

type naive struct {
	self  messaging.ID
	nodes int
	next  messaging.ID

	Awake bool
}

func (n *naive) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if why := n.impossible(from, m); why != "" {
		messaging.Refuse("ring", n.self, from, m, why)
	}
	if !n.Awake {
		n.Awake = true
		out.Send(n.next, probe{n.self, n.self})
	}
	p, ok := m.(probe)
	switch {
	case !ok: // a Hold only wakes it
	case p.Origin == n.self:
		out.Emit(election.Elected{Leader: p.Largest})
	default:
		out.Send(n.next, probe{p.Origin, max(p.Largest, n.self)})
	}
}
