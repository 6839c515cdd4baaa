package nodetest

import (
	"fmt"

	"example.org/doorway/internal/history"
	"example.org/doorway/messaging"
)

// excluded returns an error if two nodes are inside that exclude each other, or if a node
// waits for none that it excludes, nor in turn.
func (s *schedule) excluded() error {
	s.holders = s.holders[:0]
	for i, site := range s.sites {
		if site.Phase() != messaging.Inside {
			continue
		}
		i := messaging.ID(i)
		if j, found := s.graph.Excluded(i, s.holders); found {
			return s.failure(fmt.Errorf("%w: %d and %d", history.Exclusion, j, i))
		}
		s.holders = append(s.holders, i)
	}
	if len(s.holders) > 0 && len(s.sent)+len(s.timers) == 0 && !s.graph.Complete() && s.graph.Idle(s.waiting(), s.holders) {
		return s.failure(history.Stuck)
	}
	return nil
}

// waiting returns the nodes that have requested, and are not inside.
func (s *schedule) waiting() (ids []messaging.ID) {
	for i, site := range s.sites {
		if p := site.Phase(); p == messaging.Waiting || p == messaging.Absorbing {
			ids = append(ids, messaging.ID(i))
		}
	}
	return ids
}

func (s *schedule) anyoneWaits() bool { return len(s.waiting()) > 0 }
