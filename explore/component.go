package explore

import (
	"slices"

	"example.org/doorway/internal/seam"
)

// A scan finds strongly connected components of a part of a graph: the states
// that in says are in it, and the steps between them for which edge holds. It
// calls f for each component, successors first, until f returns true (D. J.
// Pearce, "A space-efficient algorithm for finding strongly connected
// components", Information Processing Letters 116(1):47-52, 2016).
type scan[K key] struct {
	*scratch
	g    *graph[K]
	in   func(id int32) bool
	edge func(id int32, slot int, to int32) bool // nil: all
	f    func(c *component[K]) bool
}

// scratch is the memory of a scan, nine bytes a state, and a few more of what
// counts entries; it can be used for one after the other.
type scratch struct {
	rank   []uint32 // by state: 0, not visited; its place in the search; or, from the top, its component
	stack  []int32  // from the front, the path of the search; from the back, what is visited and in no component yet
	bits   []uint8  // by place on the path: the next slot, and whether nothing earlier has been reached
	follow []uint8  // see precedes
}

const (
	isRoot   = 1 << 7
	slotBits = isRoot - 1
)

// reset makes s ready for a scan of that many states.
func (s *scratch) reset(states int32) {
	if s.rank == nil {
		s.rank, s.stack, s.bits = make([]uint32, states), make([]int32, states), make([]uint8, states)
		return
	}
	clear(s.rank)
}

// A component is a strongly connected part of a graph.
type component[K key] struct {
	*scan[K]
	states []int32
	rank   uint32
}

// inside reports whether the step of slot from a state of c leads to a state of c
// too, and to which.
func (c *component[K]) inside(id int32, slot int) (int32, bool) {
	to := c.g.successor(id, slot)
	return to, to >= 0 && c.scan.rank[to] == c.rank && (c.edge == nil || c.edge(id, slot, to))
}

func (s *scan[K]) run() {
	g := s.g
	s.reset(g.limit())
	rank, stack, bits := s.rank, s.stack, s.bits
	index, top := uint32(1), ^uint32(0) // components are ranked from the top down
	front, back := 0, len(stack)
	push := func(id int32) {
		rank[id] = index
		index++
		stack[front], bits[front] = id, isRoot
		front++
	}
	var c component[K]
	for start := range g.limit() {
		if !g.exists(start) || rank[start] != 0 || !s.in(start) {
			continue
		}
		push(start)
		for front > 0 {
			at := stack[front-1]
			if slot := int(bits[front-1] & slotBits); slot < g.slots {
				bits[front-1]++
				to := g.successor(at, slot)
				if to < 0 || s.edge != nil && !s.edge(at, slot, to) {
					continue
				}
				switch {
				case rank[to] == 0:
					if s.in(to) {
						push(to)
					}
				case rank[to] < rank[at]:
					rank[at] = rank[to]
					bits[front-1] &^= isRoot
				}
				continue
			}
			root := bits[front-1]&isRoot != 0
			front--
			if front > 0 {
				if before := stack[front-1]; rank[at] < rank[before] {
					rank[before] = rank[at]
					bits[front-1] &^= isRoot
				}
			}
			back--
			stack[back] = at
			if !root {
				continue
			}
			end := back + 1
			for end < len(stack) && rank[stack[end]] >= rank[at] {
				end++
			}
			c = component[K]{s, stack[back:end], top}
			for _, id := range c.states {
				rank[id] = top
			}
			index -= uint32(len(c.states))
			top--
			if s.f(&c) {
				return
			}
			back = end
		}
	}
}

// fair reports whether a run that stays in c for ever can be weakly fair: every
// process that is not in its remainder section makes a step again and again, or
// is again and again unable to.
func (c *component[K]) fair() bool {
	for p := range c.g.n {
		if !slices.ContainsFunc(c.states, func(id int32) bool { return c.g.idle(id, p) || c.stay(id, p) >= 0 }) {
			return false
		}
	}
	return true
}

// idle reports whether process p need not, or cannot, make a step. To wait for an
// atomic step of another to end is no excuse: it does end, and sync.Mutex, by
// which register.Step is made, lets everybody have a turn.
func (g *graph[K]) idle(id int32, p int) bool {
	return g.phase(id, p) == phaseRemainder ||
		g.successor(id, p) == blocked && g.node(id, p).op != seam.OpBegin
}

// stay returns the slot of a step of process p from a state of c to one of c, or -1.
func (c *component[K]) stay(id int32, p int) int {
	for slot := p; slot < c.g.slots; slot += c.g.n {
		if _, ok := c.inside(id, slot); ok {
			return slot
		}
	}
	return -1
}

// fairRun returns a component of the part of the graph that in and edge
// describe in which a run can stay for ever and be fair, or nil. A single state without a
// step is one where everybody is blocked or content.
func (g *graph[K]) fairRun(m *scratch, in func(int32) bool, edge func(int32, int, int32) bool) *component[K] {
	var got *component[K]
	s := scan[K]{scratch: m, g: g, in: in, edge: edge, f: func(c *component[K]) bool {
		if c.fair() {
			got = c
		}
		return got != nil
	}}
	s.run()
	return got
}

// steps is all steps but those of giving up.
func (g *graph[K]) steps(_ int32, slot int, _ int32) bool { return slot < g.n }

// busy reports whether process p is in its entry or exit protocol.
func (g *graph[K]) busy(id int32, p int) bool {
	ph := g.phase(id, p)
	return ph != phaseRemainder && ph != phaseInside
}

// stuck returns where runs can stay for ever in which nobody enters and nobody
// gives up any more, though somebody is in a protocol; or nil. Without an entry, nobody
// comes out of one.
func (g *graph[K]) stuck(m *scratch) *component[K] {
	return g.fairRun(m, func(id int32) bool {
		for p := range g.n {
			if g.busy(id, p) {
				return true
			}
		}
		return false
	}, func(id int32, slot int, to int32) bool {
		return slot < g.n && (g.phase(to, slot) != phaseInside || g.phase(id, slot) == phaseInside)
	})
}

// starves returns where runs can stay for ever in which process p stays in its
// entry protocol, or in its exit protocol; or nil. If othersGiveUp, others may do so
// for ever.
func (g *graph[K]) starves(m *scratch, p int, othersGiveUp bool) *component[K] {
	edge := g.steps
	if othersGiveUp {
		edge = nil
	}
	return g.fairRun(m, func(id int32) bool { return g.busy(id, p) }, edge)
}
