package nodetest

import (
	"example.org/doorway/internal/history"
	"example.org/doorway/messaging"
)

// exclude fails if two nodes are inside that exclude each other, or if a node waits for none
// that it excludes, nor in turn.
func (s *schedule) exclude() {
	s.holders = s.holders[:0]
	for i, site := range s.sites {
		if site.Phase() != messaging.Inside {
			continue
		}
		i := messaging.ID(i)
		if j, found := s.graph.Excluded(i, s.holders); found {
			history.Fail(history.Exclusion, "%d and %d", j, i)
		}
		s.holders = append(s.holders, i)
	}
	if len(s.holders) > 0 && len(s.sent)+len(s.timers) == 0 && !s.graph.Complete() && s.graph.Idle(s.waiting(), s.holders) {
		fails(history.Stuck)
	}
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

// order fails if a node has entered with a token that is not larger than those of all entries
// before it that exclude it. Then the entry does not follow from these by messages,
// and with other delays two nodes would be inside: this schedule shows what another one violates.
func (s *schedule) order() {
	for i, site := range s.sites {
		i, token := messaging.ID(i), site.Token()
		if token == s.tokens[i] || token == (messaging.Token{}) {
			continue
		}
		for j, before := range s.tokens {
			if j := messaging.ID(j); (i == j || s.graph.Excludes(i, j)) && !before.Before(token) {
				history.Fail(history.Fencing, "node %d enters with token %v after node %d with %v", i, token, j, before)
			}
		}
		s.tokens[i] = token
	}
}
