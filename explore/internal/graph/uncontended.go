package graph

import (
	"slices"

	"example.org/doorway/explore/internal/automaton"
	"example.org/doorway/explore/internal/phase"
	"example.org/doorway/internal/memory/hook"
	"example.org/doorway/internal/space"
)

// Uncontended returns the most reads and the most writes of an uncontended entry
// and exit, over all states in which every process is in its remainder section;
// [space.Unbounded] if an entry or exit does not end.
func (g *Graph) Uncontended() (reads, writes int) {
	all := uint8(1)<<g.N - 1
	for id := range g.End() {
		if !g.Has(id) || g.resting(id) != all {
			continue
		}
		for p := range g.N {
			r, w, ok := g.round(slices.Clone(g.Words(id)), p)
			if !ok {
				return space.Unbounded, space.Unbounded
			}
			reads, writes = max(reads, r), max(writes, w)
		}
	}
	return reads, writes
}

// round counts the accesses of process p from its remainder section in k until it
// is there again, and returns false if it never is.
func (g *Graph) round(k []uint64, p int) (reads, writes int, ok bool) {
	written := make([]uint64, len(g.Variables))
	for range automaton.MaxRun {
		n := &g.Automata[p][g.layout.locs[p].Of(k)]
		switch n.Op {
		case hook.OpSet, hook.OpStore:
			writes++
		case hook.OpCompareAndSwap, hook.OpSwap, hook.OpFetchAdd:
			reads, writes = reads+1, writes+1
		case automaton.OpStart, automaton.OpLeave, automaton.OpSleep, automaton.OpPanic, hook.OpBegin, hook.OpEnd:
		default:
			reads++
		}
		next, _ := g.operation(k, p, n, written)
		switch next {
		case automaton.Capped:
			return reads, writes, true // it may be the visible part of a larger number
		case automaton.Blocked:
			return 0, 0, false
		}
		g.layout.locs[p].Set(k, uint64(next))
		if g.Automata[p][next].Phase == phase.Remainder {
			return reads, writes, true
		}
	}
	return 0, 0, false
}

// resting returns a bit for each process in its remainder section.
func (g *Graph) resting(id space.ID) uint8 {
	var is uint8
	for q := range g.N {
		if g.Phase(id, q) == phase.Remainder {
			is |= 1 << q
		}
	}
	return is
}
