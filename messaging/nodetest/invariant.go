package nodetest

import (
	"fmt"
	"slices"

	"example.org/doorway/internal/history"
	"example.org/doorway/internal/wrap"
	"example.org/doorway/messaging"
)

// A view is what an invariant gets to see of a state.
type view struct {
	nodes   []messaging.Node
	transit []messaging.Event
}

// of begins the view of a state with n nodes, all of them down.
func (v *view) of(n int) {
	v.nodes = slices.Grow(v.nodes[:0], n)[:n]
	clear(v.nodes)
	v.transit = v.transit[:0]
}

func (v *view) sees(from, to messaging.ID, m messaging.Message) {
	v.transit = append(v.transit, messaging.Event{From: from, To: to, Message: m})
}

// against returns an error if the state violates the invariant.
func (v *view) against(invariant messaging.Invariant) error {
	if err := invariant(v.nodes, v.transit); err != nil {
		return fmt.Errorf("%w: %w", history.Invariant, err)
	}
	return nil
}

// hold returns an error if the invariant is violated.
func (s *schedule) hold() error {
	if s.c.Invariant == nil {
		return nil
	}
	s.view.of(s.c.Nodes)
	for i, site := range s.sites {
		if !s.down[i] {
			s.view.nodes[i] = wrap.Innermost(site.Node())
		}
	}
	for _, f := range s.sent {
		if !s.down[f.to] {
			s.view.sees(f.from, f.to, history.Contents(f.message))
		}
	}
	if err := s.view.against(s.c.Invariant); err != nil {
		return s.failure(err)
	}
	return nil
}
