// Package graph searches the states of a lock: of all its processes and registers
// together.
package graph

import (
	"fmt"

	"example.org/doorway/explore/internal/automaton"
	"example.org/doorway/explore/internal/phase"
	"example.org/doorway/internal/space"
)

// A Graph is the reachable states of all processes and registers together, and
// the steps between them.
//
// A state has a successor for each slot: slot p is the step of process p; slot n+p,
// if processes may give up, is its abort, or its entry by TryLock; slot 2n+p, if
// callers are mixed, is its entry by Lock.
type Graph struct {
	*space.Space
	Program
	N     int // processes
	Slots int

	layout  Layout
	phases  [][]phase.Phase // by process and node
	awaited []bool          // by register: a wait depends on its value
	tallies [space.Shards]tally
}

// A Program is the processes of a lock: their automata, and the registers.
type Program struct {
	Variables []automaton.Variable
	Automata  [][]automaton.Node // by process
	Ways      int                // in which a process can enter
}

// A tally is what the search noted of the states of a shard.
type tally struct {
	cut     int
	entered uint8    // a bit for each process that has entered
	written []uint64 // by register: a bit for each value written
	fault   Kind
	to      []uint64 // the state after a step
}

// New returns the graph of p with its initial state. The options are those of a space. The error
// is a WideError.
func New(p Program, y Layout, o space.Options) (*Graph, error) {
	if err := y.check(); err != nil {
		return nil, err
	}
	g := of(p, y)
	for k := range g.tallies {
		g.tallies[k].written = make([]uint64, len(p.Variables))
		g.tallies[k].to = make([]uint64, 0, space.MostWords) // in a cache line of its own
	}
	root := make([]uint64, y.words())
	for _, f := range y.heard {
		f.Set(root, 1)
	}
	if y.safe == nil {
		o.Width = g.Slots
	}
	g.Space = space.New(root, g, o)
	return g, nil
}

// of returns the graph of p, which has no states yet.
func of(p Program, y Layout) *Graph {
	n := len(p.Automata)
	g := &Graph{Program: p, N: n, Slots: n * p.Ways, layout: y, awaited: make([]bool, len(p.Variables))}
	for _, auto := range p.Automata {
		phases := make([]phase.Phase, len(auto))
		for i := range auto {
			phases[i] = auto[i].Phase
			for _, w := range auto[i].Watches {
				g.awaited[w.Reg] = true
			}
		}
		g.phases = append(g.phases, phases)
	}
	return g
}

// Explore finds all reachable states, level by level, and stops after a level with
// a fault. The error is that of the space.
func (g *Graph) Explore() error {
	_, err := g.Space.Explore(func() bool { return g.wrong() != nothing })
	return err
}

// Steps steps a state by every slot.
func (g *Graph) Steps(k []uint64, shard int, out *space.Steps) bool {
	tally := &g.tallies[shard]
	inside := 0
	for p := range g.N {
		n := g.at(k, p)
		if n.Phase == phase.Inside {
			inside++
			tally.entered |= 1 << p
		}
		if n.Op == automaton.OpPanic {
			tally.note(Panicked)
		}
	}
	if inside > 1 {
		tally.note(TwoInside)
	}
	if g.layout.safe != nil {
		g.accesses(k, tally.to, func(to []uint64, _ automaton.Access) { out.To(to) })
		return true
	}
	for slot := range g.Slots {
		to := append(tally.to[:0], k...)
		outcome, fault := g.step(to, slot, tally.written)
		if fault != nil {
			tally.note(fault.What)
		}
		if outcome == 0 {
			out.To(to)
			continue
		}
		if outcome == Capped {
			tally.cut++
		}
		out.No(outcome)
	}
	return true
}

// Cut returns the number of stores above the cap, which are not followed.
func (g *Graph) Cut() (n int) {
	for k := range g.tallies {
		n += g.tallies[k].cut
	}
	return n
}

// Entered reports whether process p enters in any run.
func (g *Graph) Entered(p int) bool {
	for k := range g.tallies {
		if g.tallies[k].entered>>p&1 == 1 {
			return true
		}
	}
	return false
}

// Largest returns the largest value of a register in any state.
func (g *Graph) Largest(register int) uint64 {
	values := g.Variables[register].Values
	largest := values[0]
	for bit, value := range values {
		for k := range g.tallies {
			if g.tallies[k].written[register]>>bit&1 == 1 {
				largest = max(largest, value)
			}
		}
	}
	return largest
}

// Value returns what a register holds in a state.
func (g *Graph) Value(id space.ID, register int) uint64 {
	return g.Variables[register].Values[g.Get(id, g.layout.Registers[register])]
}

// Node returns the node of process p in a state.
func (g *Graph) Node(id space.ID, p int) *automaton.Node {
	return &g.Automata[p][g.Get(id, g.layout.locs[p])]
}

// Phase returns the phase of process p in a state.
func (g *Graph) Phase(id space.ID, p int) phase.Phase {
	return g.phases[p][g.Get(id, g.layout.locs[p])]
}

// Paths returns the paths of g. Of several shortest ones that is chosen which switches
// processes as late as possible.
func (g *Graph) Paths() *space.Paths {
	w := g.Space.Paths()
	w.Again = true
	return w
}

// To returns a shortest schedule from the initial state to a state for which goal
// holds, level steps away.
func (g *Graph) To(level int, goal func(id space.ID) bool) []int {
	return g.Paths().Shortest(level, func(node int) bool { return goal(space.ID(node)) })
}

// after returns the state to which a schedule leads from the initial state.
func (g *Graph) after(schedule []int) space.ID {
	id := g.Root
	for _, slot := range schedule {
		id = g.Row(id, nil)[slot]
	}
	return id
}

// mostBits is how many bits a state may have.
const mostBits = 128

// A WideError means that a state has more.
type WideError struct{ Bits int }

func (e *WideError) Error() string {
	return fmt.Sprintf("explore: a state takes %d bits, more than %d: use fewer processes, registers or values", e.Bits, mostBits)
}
