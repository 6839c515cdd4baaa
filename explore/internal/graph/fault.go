package graph

import (
	"slices"

	"example.org/doorway/explore/internal/automaton"
	"example.org/doorway/explore/internal/phase"
	"example.org/doorway/internal/space"
)

// A Kind is a kind of fault of a state or a step, in order of importance.
type Kind int

// The kinds of faults.
const (
	nothing    Kind = iota
	TwoInside       // two processes are inside
	Unordered       // an entry that does not happen after the last exit
	AwaitedSet      // a Set makes a condition true that a process awaits
	Panicked        // a process panics
)

// note keeps the most important fault.
func (t *tally) note(what Kind) {
	if what != nothing && (t.fault == nothing || what < t.fault) {
		t.fault = what
	}
}

// wrong returns the most important fault of the last level, or nothing.
func (g *Graph) wrong() Kind {
	var all tally
	for k := range g.tallies {
		all.note(g.tallies[k].fault)
	}
	return all.fault
}

// A Fault is the most important one of a search, in the state that a shortest schedule
// leads to, or in a step from there.
type Fault struct {
	What     Kind
	Schedule []int

	Inside   []int // the processes that are inside
	Process  int   // that panics, or takes the step
	Local    int32 // the local state in which it panics
	Slot     int   // of the step
	Register int16 // of a Set
	Awaits   int   // the process that awaits the Set
}

// Fault returns the fault that ended the search, or nil.
func (g *Graph) Fault() *Fault {
	what := g.wrong()
	if what == nothing {
		return nil
	}
	schedule := g.To(g.Depth(), func(id space.ID) bool { return g.faultIn(id, what) != nil })
	f := g.faultIn(g.after(schedule), what)
	f.Schedule = schedule
	return f
}

// faultIn returns the fault of that kind in a state, or of the first step from it that has
// one; or nil.
func (g *Graph) faultIn(id space.ID, what Kind) *Fault {
	if f := g.faultAt(id); f != nil && f.What == what {
		return f
	}
	if what == TwoInside || what == Panicked {
		return nil
	}
	written := make([]uint64, len(g.Variables))
	for slot := range g.Slots {
		k := slices.Clone(g.Words(id))
		if _, f := g.step(k, slot, written); f != nil && f.What == what {
			return f
		}
	}
	return nil
}

// faultAt returns the fault of a state itself; nil if that has none.
func (g *Graph) faultAt(id space.ID) *Fault {
	return faultOf(g.N, func(p int) *automaton.Node { return g.at(g.Words(id), p) })
}

// faultOf returns the fault of a state in which each process is at a node; nil if that has none.
func faultOf(processes int, node func(p int) *automaton.Node) *Fault {
	f := &Fault{}
	for p := range processes {
		n := node(p)
		if n.Phase == phase.Inside {
			f.Inside = append(f.Inside, p)
		}
		if n.Op == automaton.OpPanic { // perhaps inside, in Unlock
			f.What, f.Process, f.Local = Panicked, p, n.Name
		}
	}
	if len(f.Inside) > 1 {
		f.What = TwoInside
	}
	if f.What == nothing {
		return nil
	}
	return f
}
