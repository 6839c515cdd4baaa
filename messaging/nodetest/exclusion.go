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

// ordered returns an error if a node has entered with a token that is not larger than those of
// all entries before it that exclude it. Then the entry does not follow from these by messages,
// and with other delays two nodes would be inside: this schedule shows what another one violates.
func (s *schedule) ordered() error {
	for i, site := range s.sites {
		i, token := messaging.ID(i), site.Token()
		if token == s.tokens[i] || token == (messaging.Token{}) {
			continue
		}
		for j, before := range s.tokens {
			if j := messaging.ID(j); (i == j || s.graph.Excludes(i, j)) && !before.Before(token) {
				return s.failure(fmt.Errorf("%w: node %d enters with token %v after node %d with %v", history.Fencing, i, token, j, before))
			}
		}
		s.tokens[i] = token
	}
	return nil
}

// silent has node i know of all entries when a timer expires because nothing else could happen, as
// it does in a [messaging.Cluster]: there its algorithm may take silence for a crash.
func (s *schedule) silent(i messaging.ID) {
	if s.c.AnyTime {
		return
	}
	for _, site := range s.sites {
		s.sites[i].Witness(site.Entries())
	}
}
