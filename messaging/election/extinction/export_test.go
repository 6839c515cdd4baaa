package extinction

import (
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/election"
)

// late is a wrong node of New: it is a candidate although the wave of a smaller one has reached it, as in
// NewPlain.
type late struct{ Node messaging.Node }

func (l *late) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	n := l.Node.(*node)
	if _, hold := m.(election.Hold); hold && n.M < n.start.Self {
		n.spread(n.start.Self, n.start.Self, out)
		return
	}
	n.Receive(from, m, out)
}

// Late returns a, which is that of New, of wrong nodes.
func Late(a messaging.Algorithm) messaging.Algorithm {
	return func(start messaging.Start) messaging.Node { return &late{a(start)} }
}
