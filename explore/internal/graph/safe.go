package graph

import (
	"slices"

	"example.org/doorway/explore/internal/automaton"
	"example.org/doorway/explore/internal/phase"
	"example.org/doorway/internal/memory/hook"
	"example.org/doorway/internal/space"
)

// With safe registers, a write takes two steps, and a
// read between them may return any value that the register can ever hold
// (L. Lamport, "On interprocess communication", 1986). Registers with a single
// writer, and without read-modify-writes, are safe; the others stay atomic.

// Safely searches the states with safe registers for one in which two processes are
// inside, or one panics. It returns a shortest schedule to such a state, nil if there is
// none, and which registers are safe.
func Safely(p Program, o space.Options) (schedule []automaton.Access, safe []bool, err error) {
	y := NewLayout(p, false)
	for r := range p.Variables {
		y.safe = append(y.safe, p.Variables[r].Word != nil && p.Variables[r].Writers() == 1)
		y.busy = append(y.busy, y.Lay(1))
	}
	for _, auto := range p.Automata {
		for i := range auto {
			switch auto[i].Op {
			case hook.OpCompareAndSwap, hook.OpSwap, hook.OpFetchAdd:
				y.safe[auto[i].Reg] = false
			}
		}
	}
	g, err := New(p, y, o)
	if err == nil {
		err = g.Explore()
	}
	if err != nil || g.wrong() == nothing {
		return nil, y.safe, err
	}
	k := g.Words(g.Root)
	for _, nth := range g.Space.Paths().Shortest(g.Depth(), func(node int) bool { return g.faultAt(space.ID(node)) != nil }) {
		var next []uint64
		g.accesses(k, nil, func(to []uint64, a automaton.Access) {
			if nth == 0 {
				next, schedule = slices.Clone(to), append(schedule, a)
			}
			nth--
		})
		k = next
	}
	return schedule, y.safe, nil
}

// leaving is where a process is whose first write of its exit has begun: it is no longer inside, although the write
// and the end of its critical section are one node.
var leaving = &automaton.Node{Phase: phase.Exit}

// at returns the node of process p in k.
func (g *Graph) at(k []uint64, p int) *automaton.Node {
	n := &g.Automata[p][g.layout.locs[p].Of(k)]
	if g.layout.safe != nil && n.Phase == phase.Inside && n.Writes() && g.layout.writing(k, n.Reg) {
		return leaving
	}
	return n
}

// writing reports whether a safe register is being written.
func (y *Layout) writing(k []uint64, reg int16) bool {
	return reg >= 0 && y.safe[reg] && y.busy[reg].Of(k) == 1
}

// accesses calls lead for each state to which a step leads from k, with safe registers. They are all in the memory of to.
func (g *Graph) accesses(k, to []uint64, lead func(to []uint64, a automaton.Access)) {
	for p := range g.N {
		g.access(k, to, p, lead)
	}
}

// access calls lead for each state to which a step of p leads from k.
func (g *Graph) access(k, to []uint64, p int, lead func([]uint64, automaton.Access)) {
	y, n := &g.layout, &g.Automata[p][g.layout.locs[p].Of(k)]
	a := automaton.Access{Process: p, Value: -1}
	finds := func(v uint64) { // in its register
		answer, writes := n.Answer(v)
		if answer < 0 {
			return
		}
		to = append(to[:0], k...)
		if writes != automaton.NoValue {
			y.Registers[n.Reg].Set(to, uint64(writes))
			y.busy[n.Reg].Set(to, 0)
		}
		y.locs[p].Set(to, uint64(n.Next[answer]))
		lead(to, a)
	}
	if n.Reg < 0 {
		finds(0)
		return
	}
	v, writing := y.Registers[n.Reg].Of(k), y.writing(k, n.Reg)
	switch {
	case n.Writes() && y.safe[n.Reg] && !writing:
		if n.Flags&automaton.Over == 0 {
			to = append(to[:0], k...)
			y.busy[n.Reg].Set(to, 1)
			lead(to, a)
		}
	case n.Writes() || !writing:
		finds(v)
	default:
		for value := range g.Variables[n.Reg].Values {
			a.Value = value
			finds(uint64(value))
		}
	}
}
