package multicast

import (
	"fmt"
	"iter"

	"example.org/doorway/messaging"
)

// FIFO is [Reliable], and the messages of each sender are delivered in the order in which it
// sent them: a node that delivers one has delivered all earlier ones.
func FIFO(o messaging.Outcome) error {
	for i := range o.Emitted {
		last := make([]int, len(o.Emitted))
		for d := range deliveries(o, i) {
			if !isNode(o, d.From) {
				break // Reliable says so
			}
			if d.Number > last[d.From]+1 {
				return fmt.Errorf("node %d delivers %s before message %d", i, message(d), last[d.From]+1)
			}
			last[d.From] = max(last[d.From], d.Number)
		}
	}
	return Reliable(o)
}

// Causal is [FIFO], and a node that delivers a message has delivered all that its sender had
// delivered when it sent it.
func Causal(o messaging.Outcome) error {
	if err := FIFO(o); err != nil {
		return err
	}
	pasts := make([][][]int, len(o.Emitted)) // by message: by node, how many of its messages the sender had delivered
	for j, values := range o.Emitted {
		delivered := make([]int, len(o.Emitted))
		for _, v := range values {
			switch v := v.(type) {
			case Sent:
				pasts[j] = append(pasts[j], append([]int(nil), delivered...))
			case Delivered:
				delivered[v.From]++
			}
		}
	}
	for i := range o.Emitted {
		delivered := make([]int, len(o.Emitted))
		for d := range deliveries(o, i) {
			for k, past := range pasts[d.From][d.Number-1] {
				if delivered[k] < past && k != int(d.From) {
					return fmt.Errorf("node %d delivers %s before message %d of node %d, which node %d had delivered when it sent it", i, message(d), delivered[k]+1, k, d.From)
				}
			}
			delivered[d.From]++
		}
	}
	return nil
}

// Total is [Reliable], and all nodes deliver in the same order, those that have crashed too: what
// one has delivered is always a prefix of what another has.
func Total(o messaging.Outcome) error {
	var longest []Delivered
	by := 0
	for i := range o.Emitted {
		var all []Delivered
		for d := range deliveries(o, i) {
			if k := len(all); k < len(longest) && d != longest[k] {
				return fmt.Errorf("node %d delivers %s where node %d delivers %s", by, message(longest[k]), i, message(d))
			}
			all = append(all, d)
		}
		if len(all) > len(longest) {
			longest, by = all, i
		}
	}
	return Reliable(o)
}

// isNode reports whether there is a node with that number.
func isNode(o messaging.Outcome, j messaging.ID) bool { return j >= 0 && int(j) < len(o.Emitted) }

// message returns which message d is of.
func message(d Delivered) string { return fmt.Sprintf("message %d of node %d", d.Number, d.From) }

// deliveries yields what node i has delivered, in order.
func deliveries(o messaging.Outcome, i int) iter.Seq[Delivered] {
	return func(yield func(Delivered) bool) {
		for _, v := range o.Emitted[i] {
			if d, ok := v.(Delivered); ok && !yield(d) {
				return
			}
		}
	}
}

// sentBy returns the bodies that each node has sent, in order.
func sentBy(o messaging.Outcome) [][]string {
	all := make([][]string, len(o.Emitted))
	for i, values := range o.Emitted {
		for _, v := range values {
			if s, ok := v.(Sent); ok {
				all[i] = append(all[i], s.Body)
			}
		}
	}
	return all
}
