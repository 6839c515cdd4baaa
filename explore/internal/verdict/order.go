package verdict

import (
	"example.org/doorway/explore/internal/graph"
	"example.org/doorway/explore/internal/phase"
	"example.org/doorway/internal/space"
)

// waiting returns the wait of process p. If it were inlined, what its functions call would not be: they are
// called for each step.
//
//go:noinline
func waiting(g *graph.Graph, p int) *space.Wait {
	return &space.Wait{
		Subgraph: *part(g, func(id space.ID) bool { return g.Phase(id, p) == phase.Waiting }, nil),
		Who:      p, Of: g.N,
		Enters: func(from space.ID, slot int, to space.ID) int {
			if q := slot % g.N; g.Phase(from, q) != phase.Inside && g.Phase(to, q) == phase.Inside {
				return q
			}
			return -1
		},
		Idle: func(id space.ID, q int) bool { return g.Phase(id, q) == phase.Remainder },
	}
}

// precedes finds how others precede process p. If starving is not nil, it is called with a
// region in which a fair run can stay forever, if there is one: there p starves.
func precedes(g *graph.Graph, m *memory, p int, starving func(*region)) space.Precedence {
	if m.follow == nil {
		m.follow = make([]uint8, int(g.End())*g.N)
	}
	wait := waiting(g, p)
	wait.Follow = m.follow
	return wait.Precedes(&m.Scratch, func(c *space.Component, so space.Precedence) bool {
		if starving == nil {
			return so.Most == space.Unbounded && so.Fails
		}
		if r := (&region{c, g}); r.fair() {
			starving(r)
			starving = nil
		}
		return false
	})
}

// Overtaking returns the processes and a shortest schedule of a run in which one begins its
// doorway after the other has completed its own, and enters first. Of several it picks the
// one with the lowest number that is overtaken, and then of the other. There must be one.
func (q *Questions) Overtaking() (overtaken, first int, schedule []int) {
	var waits []*space.Wait
	for p := range q.g.N {
		waits = append(waits, waiting(q.g, p))
	}
	return space.Overtaking(q.g.Paths(), waits...)
}
