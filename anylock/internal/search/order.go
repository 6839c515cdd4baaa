package search

import (
	"example.org/doorway/internal/space"
)

// Orders is in which order goroutines enter.
type Orders struct {
	Waits bool // there are states in which one has completed its doorway, and is not inside
	space.Precedence
	Overtaking *Found // a shortest run in which one begins after another has completed its doorway, and is inside first; nil: none
}

// Orders finds out in which order goroutines enter. There must be a Doorway, and Live has been called.
func (s *Search) Orders() (o Orders) {
	waits := func(i space.ID, t int) bool {
		return s.rows[i].inside>>t&1 == 0 && phaseOf(s.key(i), t) == waiting
	}
	rests := func(i space.ID, t int) bool { return phaseOf(s.key(i), t) == remainder && s.rows[i].inside>>t&1 == 0 }
	enters := func(from space.ID, _ int, to space.ID) int {
		for t := range s.n {
			if (s.rows[to].inside&^s.rows[from].inside)>>t&1 == 1 {
				return t
			}
		}
		return -1
	}
	follow := make([]uint8, int(s.Space.End())*s.n)
	var scratch space.Scratch
	for p := range s.n {
		wait := &space.Wait{
			Subgraph: space.Subgraph{Graph: s.Space.Graph, In: func(i space.ID) bool {
				is := waits(i, p)
				o.Waits = o.Waits || is
				return is
			}},
			Who: p, Of: s.n, Follow: follow, Idle: rests, Enters: enters,
		}
		of := wait.Precedes(&scratch, func(*space.Component, space.Precedence) bool { return s.stopped() })
		o.Precedence = o.Or(of)
		if of.Fails && o.Overtaking == nil && !s.stopped() {
			o.Overtaking = s.overtaking(wait)
		}
	}
	return o
}

// overtaking returns a shortest run in which another begins while one waits, and is inside first.
func (s *Search) overtaking(wait *space.Wait) *Found {
	p, q, way := space.Overtaking(s.Space.Paths(), wait)
	end := s.Space.Root
	for _, slot := range way {
		end = s.Space.Successor(end, slot)
	}
	return &Found{At: *s.key(end), Thread: -1, Kind: Overtaking, Both: [2]int{q, p}, Way: way}
}
