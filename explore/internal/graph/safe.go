package graph

import (
	"slices"

	"example.org/doorway/explore/internal/automaton"
	"example.org/doorway/explore/internal/phase"
	"example.org/doorway/internal/memory/hook"
	"example.org/doorway/internal/space"
)

// A state is the words of one, of which it may have fewer.
type state [mostBits / 64]uint64

// safely is the system of the automata with safe registers: a write takes two steps, and a
// read between them may return any value that the register can ever hold
// (L. Lamport, "On interprocess communication", 1986). Registers with a single
// writer, and without read-modify-writes, are safe; the others stay atomic.
type safely struct {
	Program
	layout Layout
	busy   []space.Field // by register: it is being written
	safe   []bool        // by register
	fails  [space.Shards]bool
	to     [space.Shards][]uint64 // the state after a step
}

// Safely searches the states with safe registers for one in which two processes are
// inside, or one panics. It returns a shortest schedule to such a state, nil if there is
// none, and which registers are safe.
func Safely(p Program, o space.Options) (schedule []automaton.Access, safe []bool, err error) {
	layout := NewLayout(p, false)
	var busy []space.Field
	for r := range p.Variables {
		safe = append(safe, p.Variables[r].Word != nil && p.Variables[r].Writers() == 1)
		busy = append(busy, layout.Lay(1))
	}
	for _, auto := range p.Automata {
		for i := range auto {
			switch auto[i].Op {
			case hook.OpCompareAndSwap, hook.OpSwap, hook.OpFetchAdd:
				safe[auto[i].Reg] = false
			}
		}
	}
	if err := layout.check(); err != nil {
		return nil, nil, err
	}
	y := safely{Program: p, layout: layout, busy: busy, safe: safe}
	schedule, err = y.run(o)
	return schedule, safe, err
}

// run searches the states, and returns the schedule of Safely.
func (y *safely) run(o space.Options) (schedule []automaton.Access, err error) {
	var k state
	words := k[:y.layout.words()]
	for shard := range y.to {
		y.to[shard] = make([]uint64, 0, space.MostWords) // in a cache line of its own
	}
	s := space.New(words, y, o)
	complete, err := s.Explore(func() bool { return y.fails != [space.Shards]bool{} })
	if complete || err != nil {
		return nil, err
	}
	for _, nth := range s.Paths().Shortest(s.Depth(), func(node int) bool { return y.wrong(s.Words(space.ID(node))) }) {
		y.each(slices.Clone(words), func(to state, a automaton.Access) {
			if nth == 0 {
				k, schedule = to, append(schedule, a)
			}
			nth--
		})
	}
	return schedule, nil
}

// Steps tells the states to which steps lead from k.
func (y *safely) Steps(k []uint64, shard int, out *space.Steps) bool {
	if y.wrong(k) {
		y.fails[shard] = true
	}
	y.each(k, func(to state, _ automaton.Access) {
		y.to[shard] = append(y.to[shard][:0], to[:len(k)]...)
		out.To(y.to[shard])
	})
	return true
}

// each calls lead for each state to which a step leads from k.
func (y *safely) each(k []uint64, lead func(state, automaton.Access)) {
	var from state
	copy(from[:], k)
	for p := range y.Automata {
		y.step(from, p, lead)
	}
}

// wrong reports whether two processes are inside, or one panics.
func (y *safely) wrong(k []uint64) bool {
	inside, panics := 0, false
	for p := range y.Automata {
		if y.phase(k, p) == phase.Inside {
			inside++
		}
		panics = panics || y.Automata[p][y.layout.locs[p].Of(k)].Op == automaton.OpPanic
	}
	return inside > 1 || panics
}

// phase returns the phase of p. While the first write of its exit has only begun, p
// is still inside: the write is not observable yet.
func (y *safely) phase(k []uint64, p int) phase.Phase {
	n := &y.Automata[p][y.layout.locs[p].Of(k)]
	if n.Phase == phase.Inside && n.Reg >= 0 && y.safe[n.Reg] && y.busy[n.Reg].Of(k) == 1 && n.Writes() {
		return phase.Exit
	}
	return n.Phase
}

// step calls lead for each state to which a step of p leads from k.
func (y *safely) step(k state, p int, lead func(state, automaton.Access)) {
	n := &y.Automata[p][y.layout.locs[p].Of(k[:])]
	a := automaton.Access{Process: p, Value: -1}
	finds := func(v uint64) { // in its register
		answer, writes := n.Answer(v)
		if answer < 0 {
			return
		}
		to := k
		if writes != automaton.NoValue {
			y.layout.Registers[n.Reg].Set(to[:], uint64(writes))
		}
		y.layout.locs[p].Set(to[:], uint64(n.Next[answer]))
		lead(to, a)
	}
	if n.Reg < 0 {
		finds(0)
		return
	}
	v, writes := y.layout.Registers[n.Reg].Of(k[:]), n.Writes()
	busy := y.safe[n.Reg] && y.busy[n.Reg].Of(k[:]) == 1
	switch {
	case writes && y.safe[n.Reg] && !busy:
		if n.Flags&automaton.Over == 0 {
			y.busy[n.Reg].Set(k[:], 1)
			lead(k, a)
		}
	case writes || !busy:
		y.busy[n.Reg].Set(k[:], 0)
		finds(v)
	default:
		for value := range y.Variables[n.Reg].Values {
			a.Value = value
			finds(uint64(value))
		}
	}
}
