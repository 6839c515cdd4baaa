package verdict

import (
	"slices"

	"example.org/doorway/explore/internal/graph"
	"example.org/doorway/explore/internal/phase"
	"example.org/doorway/internal/memory/hook"
	"example.org/doorway/internal/space"
)

// A region is a strongly connected component of a part of a graph.
type region struct {
	*space.Component
	g *graph.Graph
}

// part returns the part of g with the states for which in holds, and the steps between
// them for which edge holds; nil: all.
func part(g *graph.Graph, in func(space.ID) bool, edge func(space.ID, int, space.ID) bool) *space.Subgraph {
	return &space.Subgraph{Graph: g.Graph, In: in, Edge: edge}
}

// fair reports whether a run that stays in c forever can be weakly fair: every
// process outside of its remainder section takes infinitely many steps, or is
// infinitely often unable to.
func (c *region) fair() bool {
	for p := range c.g.N {
		if !slices.ContainsFunc(c.States, func(id space.ID) bool { return idle(c.g, id, p) || c.stay(id, p) >= 0 }) {
			return false
		}
	}
	return true
}

// idle reports whether process p need not, or cannot, take a step. Waiting for an
// atomic step of another process does not count: the step ends, and sync.Mutex,
// which implements register.Step, does not starve a waiter.
func idle(g *graph.Graph, id space.ID, p int) bool {
	return g.Phase(id, p) == phase.Remainder ||
		g.Successor(id, p) == graph.Blocked && g.Node(id, p).Op != hook.OpBegin
}

// stay returns the slot of a step of process p from a state of c that stays in c,
// or -1.
func (c *region) stay(id space.ID, p int) int {
	for slot := p; slot < c.g.Slots; slot += c.g.N {
		if _, ok := c.Inside(id, slot); ok {
			return slot
		}
	}
	return -1
}

// fairRun returns a region, in the part of in and edge, in which a fair run can stay
// forever, or nil. In a region of one state without a step, every process is blocked or
// in its remainder section.
func fairRun(g *graph.Graph, m *memory, in func(space.ID) bool, edge func(space.ID, int, space.ID) bool) (found *region) {
	part(g, in, edge).Components(&m.Scratch, func(c *space.Component) bool {
		if r := (&region{c, g}); r.fair() {
			found = r
		}
		return found != nil
	})
	return found
}

// noAbort selects all steps except giving up.
func noAbort(g *graph.Graph) func(space.ID, int, space.ID) bool {
	return func(id space.ID, slot int, _ space.ID) bool {
		return slot < g.N || g.Phase(id, slot%g.N) == phase.Remainder
	}
}

// busy reports whether process p is in its entry or exit section.
func busy(g *graph.Graph, id space.ID, p int) bool {
	at := g.Phase(id, p)
	return at != phase.Remainder && at != phase.Inside
}

// stuck returns a region in which a fair run can stay forever without an entry
// or an abort, although some process is in its entry or exit section; or nil. A
// process leaves its entry section only by entering.
func stuck(g *graph.Graph, m *memory) *region {
	steps := noAbort(g)
	return fairRun(g, m, func(id space.ID) bool {
		for p := range g.N {
			if busy(g, id, p) {
				return true
			}
		}
		return false
	}, func(id space.ID, slot int, to space.ID) bool {
		p := slot % g.N
		return steps(id, slot, to) && (g.Phase(to, p) != phase.Inside || g.Phase(id, p) == phase.Inside)
	})
}

// starves returns a region in which a fair run can stay forever while process p
// stays in its entry section, or in its exit section; or nil. If othersGiveUp is
// set, others may give up forever.
func starves(g *graph.Graph, m *memory, p int, othersGiveUp bool) *region {
	edge := noAbort(g)
	if othersGiveUp {
		edge = nil
	}
	return fairRun(g, m, func(id space.ID) bool { return busy(g, id, p) }, edge)
}

// A Lasso is a schedule, and then steps that can repeat forever; none if no process can
// take one that it must.
type Lasso struct{ Prefix, Loop []int }

// lasso returns a schedule to a state of c, and a fair loop from there back to it.
func (c *region) lasso() *Lasso {
	g := c.g
	start := c.Nearest(c.States)
	l := &Lasso{Prefix: g.To(g.Level(start), func(id space.ID) bool { return id == start })}
	tour := space.Tour{Component: c.Component, At: start}
	for p := range g.N {
		if !c.excused(start, tour.Slots, p) {
			tour.Meet(func(id space.ID) (slot int, possible bool) { return c.stay(id, p), !idle(g, id, p) })
		}
	}
	tour.To(func(id space.ID) bool { return id == start })
	l.Loop = tour.Slots
	return l
}

// excused reports whether loop, from start, is fair to process p.
func (c *region) excused(start space.ID, loop []int, p int) bool {
	at := start
	for _, slot := range loop {
		if slot%c.g.N == p || idle(c.g, at, p) {
			return true
		}
		at = c.Successor(at, slot)
	}
	return idle(c.g, at, p)
}
