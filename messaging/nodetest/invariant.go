package nodetest

import (
	"fmt"

	"example.org/doorway/internal/history"
	"example.org/doorway/internal/wrap"
	"example.org/doorway/messaging"
)

// hold fails if the invariant is violated. It gets to see the nodes that are up, and what is in
// transit to them.
func (s *schedule) hold() {
	if s.c.Invariant == nil {
		return
	}
	s.transit = s.transit[:0]
	for i, site := range s.sites {
		s.nodes[i] = nil
		if !s.down[i] {
			s.nodes[i] = wrap.Innermost(site.Node())
		}
	}
	for _, f := range s.sent {
		if !s.down[f.to] {
			s.transit = append(s.transit, messaging.Event{From: f.from, To: f.to, Message: history.Contents(f.message)})
		}
	}
	if err := s.c.Invariant(s.nodes, s.transit); err != nil {
		fails(fmt.Errorf("%w: %w", history.Invariant, err))
	}
}
