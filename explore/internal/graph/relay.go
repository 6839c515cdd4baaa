package graph

import (
	"math/bits"
	"slices"

	"example.org/doorway/explore/internal/automaton"
	"example.org/doorway/internal/space"
)

// A batonFields is the place of a baton in a key.
type batonFields struct {
	line              []space.Field
	due, holder, sent space.Field
}

func (y *Layout) layBaton(n int) *batonFields {
	width := bits.Len(uint(n))
	f := &batonFields{due: y.Lay(width), holder: y.Lay(width), sent: y.Lay(n)}
	for range n {
		f.line = append(f.line, y.Lay(width))
	}
	return f
}

// relay makes a step of waiting at relays, and reports whether p can.
func (g *Graph[K]) relay(k *K, p int, n *automaton.Node) bool {
	f := g.layout.baton
	if f == nil {
		return true // no process waits
	}
	b := automaton.Baton{Due: int(space.Get(k, f.due)), Holder: uint8(space.Get(k, f.holder)), Sent: uint8(space.Get(k, f.sent))}
	for b.Length < g.N {
		q := space.Get(k, f.line[b.Length])
		if q == 0 {
			break
		}
		b.Line[b.Length] = uint8(q)
		b.Length++
	}
	_, can := b.Step(n.Op, p, func(q int) bool {
		return slices.ContainsFunc(g.Automata[q][space.Get(k, g.layout.locs[q])].Watches, func(w automaton.Watch) bool { return w.Reg == n.Reg })
	})
	space.Set(k, f.due, uint64(b.Due))
	space.Set(k, f.holder, uint64(b.Holder))
	space.Set(k, f.sent, uint64(b.Sent))
	for i, field := range f.line {
		space.Set(k, field, uint64(b.Line[i]))
	}
	return can
}
