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

// inside returns which goroutines are inside in a state: their next step accesses what the lock guards.
func (s *Search) inside(k *K) (all uint8) {
	for _, st := range s.stepsOf(k) {
		if st.guards {
			all |= 1 << st.t
		}
	}
	return all
}

// Orders finds out in which order goroutines enter. There must be a Doorway, and all states must have been visited.
func (s *Search) Orders() (o Orders) {
	inside := make([]uint8, s.Space.End())
	for i := range s.Space.End() {
		if s.Space.Has(i) && !s.stopped() {
			inside[i] = s.inside(s.Space.Key(i))
		}
	}
	waits := func(i space.ID, t int) bool {
		return inside[i]>>t&1 == 0 && phaseOf(s.Space.Key(i), t) == waiting
	}
	rests := func(i space.ID, t int) bool { return phaseOf(s.Space.Key(i), t) == remainder && inside[i]>>t&1 == 0 }
	enters := func(from, to space.ID) int {
		for t := range s.n {
			if (inside[to]&^inside[from])>>t&1 == 1 {
				return t
			}
		}
		return -1
	}
	follow := make([]uint8, int(s.Space.End())*s.n)
	var scratch space.Scratch
	for p := range s.n {
		wait := space.Wait[K]{
			Subgraph: space.Subgraph[K]{Space: s.Space, In: func(i space.ID) bool {
				is := waits(i, p)
				o.Waits = o.Waits || is
				return is
			}},
			Who: p, Of: s.n, Follow: follow, Idle: rests,
			Enters: func(from space.ID, _ int, to space.ID) int { return enters(from, to) },
		}
		of := wait.Precedes(&scratch, func(*space.Component[K], space.Precedence) bool { return s.stopped() })
		o.Precedence = o.Or(of)
		if of.Fails && o.Overtaking == nil && !s.stopped() {
			o.Overtaking = s.overtaking(p, waits, rests, enters)
		}
	}
	return o
}

// overtaking returns a shortest run in which another begins while p waits, and is inside first.
func (s *Search) overtaking(p int, waits, rests func(space.ID, int) bool, enters func(from, to space.ID) int) (found *Found) {
	for q := range s.n {
		if q == p {
			continue
		}
		way, ok := space.Shortest(func() *space.Search[K] {
			visited := [2][]bool{make([]bool, s.Space.End()), make([]bool, s.Space.End())}
			return &space.Search[K]{
				Space: s.Space,
				Next: func(at space.Past, _ int, to space.ID, f func(memory uint32)) (wrong bool) {
					if !waits(to, p) {
						f(0)
						return false
					}
					if at.Memory == 1 && enters(at.ID, to) == q {
						return true
					}
					if at.Memory == 1 || rests(to, q) {
						f(1)
					} else {
						f(0)
					}
					return false
				},
				Known: func(past space.Past) bool {
					known := visited[past.Memory][past.ID]
					visited[past.Memory][past.ID] = true
					return known
				},
			}
		})
		if ok && (found == nil || len(way) < len(found.Way)) {
			end := s.Space.Root
			for _, slot := range way {
				end = s.Space.Successor(end, slot)
			}
			found = &Found{At: *s.Space.Key(end), Thread: -1, Kind: Overtaking, Both: [2]int{q, p}, Way: way}
		}
	}
	return found
}
