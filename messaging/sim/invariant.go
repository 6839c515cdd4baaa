package sim

import (
	"slices"

	"example.org/doorway/internal/history"
	"example.org/doorway/internal/wrap"
	"example.org/doorway/messaging"
)

// A view is what an invariant gets to see of a state.
type view struct {
	nodes   []messaging.Node
	transit []messaging.Event // in the order of sending, also to nodes that are down
	causes  []uint64          // of each, the number of the event that sent or duplicated it
}

func (v *view) departs(cause uint64, from, to messaging.ID, m messaging.Message) {
	v.transit = append(v.transit, messaging.Event{From: from, To: to, Message: history.Contents(m)})
	v.causes = append(v.causes, cause)
}

// arrives notes that a message is delivered or lost.
func (v *view) arrives(cause uint64) {
	k := slices.Index(v.causes, cause)
	v.transit = slices.Delete(v.transit, k, k+1)
	v.causes = slices.Delete(v.causes, k, k+1)
}

// hold fails the run if the invariant is violated.
func (s *simulation) hold() {
	if s.err != nil {
		return
	}
	for i := range s.sites {
		s.view.nodes[i] = nil
		if !s.users[i].crashed {
			s.view.nodes[i] = wrap.Innermost(s.sites[i].Node())
		}
	}
	transit := s.view.transit
	if s.crashes > 0 {
		transit = slices.DeleteFunc(slices.Clone(transit), func(e messaging.Event) bool { return s.users[e.To].crashed })
	}
	if err := s.c.Invariant(s.view.nodes, transit); err != nil {
		s.fail("%w: %w", history.Invariant, err)
	}
}
