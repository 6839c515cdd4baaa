package explore

import (
	"example.org/doorway/explore/internal/automaton"
	"example.org/doorway/explore/internal/phase"
	"example.org/doorway/internal/seam"
)

// uncontended returns the most reads and the most writes of an uncontended entry
// and exit, over all states in which every process is in its remainder section;
// unbounded if an entry or exit does not end.
func (g *graph[K]) uncontended() (reads, writes int) {
	all := uint8(1)<<g.n - 1
	for id := range g.limit() {
		if !g.exists(id) || g.resting(id) != all {
			continue
		}
		for p := range g.n {
			r, w, ok := g.round(*g.key(id), p)
			if !ok {
				return unbounded, unbounded
			}
			reads, writes = max(reads, r), max(writes, w)
		}
	}
	return reads, writes
}

// round counts the accesses of process p from its remainder section in k until it
// is there again, and returns false if it never is.
func (g *graph[K]) round(k K, p int) (reads, writes int, ok bool) {
	written := make([]uint64, len(g.vars))
	for range automaton.MaxRun {
		n := &g.nodes[p][get(&k, g.locs[p])]
		for {
			switch n.Op {
			case seam.OpSet, seam.OpStore, seam.OpStoreGate:
				writes++
			case seam.OpCompareAndSwap, seam.OpSwap, seam.OpFetchAdd:
				reads, writes = reads+1, writes+1
			case automaton.OpStart, automaton.OpLeave, automaton.OpSleep, automaton.OpPanic, seam.OpBegin, seam.OpEnd, seam.OpDue, seam.OpStand, seam.OpQuit, seam.OpPass, seam.OpPark:
			default:
				reads++
			}
			answer := 0
			switch n.Op {
			case seam.OpAwaitValue, seam.OpTryValue:
				answer = automaton.AnswerValue + int(get(&k, g.regs[n.Reg]))
			case seam.OpLoad, seam.OpSwap, seam.OpFetchAdd:
				answer = int(get(&k, g.regs[n.Reg]))
			}
			if len(n.Next) <= answer || n.Next[answer] < 0 {
				break
			}
			if n = &g.nodes[p][n.Next[answer]]; n.Flags&automaton.Joined == 0 {
				break
			}
		}
		switch c, _ := g.step(&k, p, written); {
		case c == capped:
			return reads, writes, true // it may be the visible part of a larger number
		case c == blocked:
			return 0, 0, false
		case g.nodes[p][get(&k, g.locs[p])].Phase == phase.Remainder:
			return reads, writes, true
		}
	}
	return 0, 0, false
}
