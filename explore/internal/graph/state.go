package graph

import (
	"slices"

	"example.org/doorway/explore/internal/automaton"
	"example.org/doorway/internal/space"
)

// A State is one state of a program, without a search. A step leads to another; the state
// stays as it is.
type State struct {
	g     *Graph
	words []uint64
}

// First returns the initial state of p.
func First(p Program) State {
	g := of(p, NewLayout(p, false))
	return State{g, make([]uint64, g.layout.words())}
}

// Step takes the step of a slot. The outcome is 0, or Blocked or Capped if there is none. The fault
// is nil unless the step makes a condition true that a process awaits, by a Set.
func (s State) Step(slot int) (to State, outcome space.ID, fault *Fault) {
	to = s.clone()
	outcome, fault = s.g.step(to.words, slot, make([]uint64, len(s.g.Variables)))
	return to, outcome, fault
}

// Operation makes the first operation of the step of process p, which must be possible, and none that are joined to it.
func (s State) Operation(p int) State {
	to := s.clone()
	next, _ := s.g.operation(to.words, p, s.Node(p), make([]uint64, len(s.g.Variables)))
	s.g.layout.locs[p].Set(to.words, uint64(next))
	return to
}

func (s State) clone() State { return State{s.g, slices.Clone(s.words)} }

// Node returns the node of process p.
func (s State) Node(p int) *automaton.Node {
	return &s.g.Automata[p][s.g.layout.locs[p].Of(s.words)]
}

// Value returns what a register holds, as an index of the values of its variable.
func (s State) Value(register int16) int { return int(s.g.layout.Registers[register].Of(s.words)) }

// Holding returns s with another value in a register.
func (s State) Holding(register int16, value int) State {
	to := s.clone()
	s.g.layout.Registers[register].Set(to.words, uint64(value))
	return to
}

// Fault returns what is wrong in s; nil: nothing.
func (s State) Fault() *Fault { return faultOf(s.g.N, s.Node) }
