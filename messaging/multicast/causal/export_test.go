package causal

import (
	"slices"

	"example.org/doorway/messaging"
)

// Broken returns the algorithm with a condition of delivery that is wrong.
func Broken(condition string) messaging.Algorithm {
	return func(start messaging.Start) messaging.Node {
		n := New(start).(*node)
		if condition == "only the number of the sender counts" {
			return &fifo{*n}
		}
		return &unordered{*n} // only what others have sent counts
	}
}

type fifo struct{ node }

func (n *fifo) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if d, ok := m.(Data); ok {
		number := d.Vector[from]
		d.Vector = make([]uint64, n.start.Nodes)
		d.Vector[from] = number
		m = d
	}
	n.node.Receive(from, m, out)
}

type unordered struct{ node }

func (n *unordered) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if d, ok := m.(Data); ok {
		d.Vector = slices.Clone(d.Vector)
		d.Vector[from] = n.Delivered[from] + 1
		m = d
	}
	n.node.Receive(from, m, out)
}
