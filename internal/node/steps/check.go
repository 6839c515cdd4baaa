package steps

import (
	"fmt"
	"slices"

	"example.org/doorway/internal/node/history"
	"example.org/doorway/internal/node/layer"
	"example.org/doorway/internal/node/notation"
	"example.org/doorway/messaging"
)

// A Violation is that of mutual exclusion: a node entered while another was inside.
type Violation struct{ Inside, Entered messaging.ID }

func (v Violation) Error() string {
	return fmt.Sprintf("%v: %s and %s", history.Exclusion, notation.Node(min(v.Inside, v.Entered)), notation.Node(max(v.Inside, v.Entered)))
}

func (v Violation) Unwrap() error { return history.Exclusion }

// checkExclusion fails if node i enters while a node is inside that it excludes.
func (s *System) checkExclusion(i messaging.ID) {
	for _, j := range s.Inside {
		if s.Graph.Excludes(i, j) {
			s.host.Fail(Violation{j, i})
			return
		}
	}
}

func (s *System) removeInside(i messaging.ID) {
	s.Inside = slices.DeleteFunc(s.Inside, func(j messaging.ID) bool { return j == i })
}

// Waiting returns the nodes that wait, also those that gave up.
func (s *System) Waiting() (all []messaging.ID) {
	for i := range s.Sites {
		if p := s.Sites[i].Phase(); !s.Lives[i].Crashed && (p == messaging.Waiting || p == messaging.Absorbing) {
			all = append(all, messaging.ID(i))
		}
	}
	return all
}

// Judge returns an error if what the nodes have emitted is wrong. If the run is over, nothing more can happen.
func (s *System) Judge(over bool) error {
	if s.emitted == nil {
		return nil
	}
	var down messaging.Set
	for i := range s.Lives {
		if s.Lives[i].Crashed {
			down.Add(messaging.ID(i))
		}
	}
	if err := s.config.Results(messaging.Outcome{Emitted: s.emitted, Down: down, Over: over}); err != nil {
		return fmt.Errorf("%w: %w", history.Results, history.Named(err))
	}
	return nil
}

// A view is what an invariant gets to see of a state.
type view struct {
	nodes   []messaging.Node  // nil: there is no invariant
	transit []messaging.Event // in the order of sending, also to nodes that are down
	causes  []uint64          // of each, the number of the event that sent or duplicated it
}

// Depart notes that a message is in transit that was sent or duplicated by the event of that number.
func (s *System) Depart(cause uint64, from, to messaging.ID, m messaging.Message) {
	if s.view.nodes != nil {
		s.view.depart(cause, from, to, m)
	}
}

// Arrive notes that it is delivered or lost.
func (s *System) Arrive(cause uint64) {
	if s.view.nodes != nil {
		s.view.arrive(cause)
	}
}

func (v *view) depart(cause uint64, from, to messaging.ID, m messaging.Message) {
	v.transit = append(v.transit, messaging.Event{From: from, To: to, Message: m})
	v.causes = append(v.causes, cause)
}

func (v *view) arrive(cause uint64) {
	k := slices.Index(v.causes, cause)
	v.transit = slices.Delete(v.transit, k, k+1)
	v.causes = slices.Delete(v.causes, k, k+1)
}

// Hold returns an error if the invariant is violated.
func (s *System) Hold() error {
	if s.view.nodes == nil {
		return nil
	}
	for i := range s.Sites {
		s.view.nodes[i] = nil
		if !s.Lives[i].Crashed {
			s.view.nodes[i] = layer.Innermost(s.Sites[i].Node())
		}
	}
	transit := s.view.transit
	if s.Down > 0 {
		transit = slices.DeleteFunc(slices.Clone(transit), func(e messaging.Event) bool { return s.Lives[e.To].Crashed })
	}
	if err := s.config.Invariant(s.view.nodes, transit); err != nil {
		return fmt.Errorf("%w: %w", history.Invariant, history.Named(err))
	}
	return nil
}
