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
	to = State{s.g, slices.Clone(s.words)}
	outcome, failed := s.g.step(to.words, slot, make([]uint64, len(s.g.Variables)))
	return to, outcome, failed.at(slot, s.g.N)
}

// Node returns the node of process p.
func (s State) Node(p int) *automaton.Node {
	return &s.g.Automata[p][s.g.layout.locs[p].Of(s.words)]
}

// Fault returns what is wrong in s; nil: nothing.
func (s State) Fault() *Fault { return s.g.faultOf(s.Node) }
