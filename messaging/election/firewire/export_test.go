package firewire

import "example.org/doorway/messaging"

// obliging is a wrong node: it becomes the parent of the neighbor that it has asked to be its own.
type obliging struct{ Node messaging.Node }

func (o *obliging) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	n := o.Node.(*node)
	if _, asks := m.(BeMyParent); asks && from == n.Asked {
		n.beRoot(out)
		return
	}
	n.Receive(from, m, out)
}

// Obliging returns a, which is that of New, of wrong nodes: without contention.
func Obliging(a messaging.Algorithm) messaging.Algorithm {
	return func(start messaging.Start) messaging.Node { return &obliging{a(start)} }
}
