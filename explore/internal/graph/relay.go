package graph

import (
	"math/bits"
	"slices"

	"example.org/doorway/explore/internal/automaton"
)

// A batonFields is the place of a baton in a key.
type batonFields struct {
	line              []Field
	due, holder, sent Field
}

func (y *Layout) layBaton(n int) *batonFields {
	width := bits.Len(uint(n))
	f := &batonFields{due: y.lay(width), holder: y.lay(width), sent: y.lay(n)}
	for range n {
		f.line = append(f.line, y.lay(width))
	}
	return f
}

// relay makes a step of waiting at relays, and reports whether p can.
func (g *Graph[K]) relay(k *K, p int, n *automaton.Node) bool {
	f := g.layout.baton
	if f == nil {
		return true // no process waits
	}
	b := automaton.Baton{Due: int(get(k, f.due)), Holder: uint8(get(k, f.holder)), Sent: uint8(get(k, f.sent))}
	for b.Length < g.N {
		q := get(k, f.line[b.Length])
		if q == 0 {
			break
		}
		b.Line[b.Length] = uint8(q)
		b.Length++
	}
	_, can := b.Step(n.Op, p, func(q int) bool {
		return slices.ContainsFunc(g.Automata[q][get(k, g.layout.locs[q])].Watches, func(w automaton.Watch) bool { return w.Reg == n.Reg })
	})
	set(k, f.due, uint64(b.Due))
	set(k, f.holder, uint64(b.Holder))
	set(k, f.sent, uint64(b.Sent))
	for i, field := range f.line {
		set(k, field, uint64(b.Line[i]))
	}
	return can
}
