package nodetest

import (
	"fmt"

	"example.org/doorway/internal/history"
	"example.org/doorway/internal/wrap"
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

// emits records what node i emits, and checks the results.
func (s *schedule) emits(i messaging.ID, values []any) {
	for _, v := range values {
		s.note(history.Event{Node: i, What: "emits", Message: v})
		s.emitted[i] = append(s.emitted[i], v)
	}
	if len(values) > 0 {
		s.judge(false)
	}
}

// judge fails if what the nodes have emitted is wrong.
func (s *schedule) judge(over bool) {
	if s.c.Results == nil {
		return
	}
	if err := s.c.Results(messaging.Outcome{Emitted: s.emitted, Down: messaging.SetOf(s.those(true)...), Over: over}); err != nil {
		fails(fmt.Errorf("%w: %w", history.Results, err))
	}
}
