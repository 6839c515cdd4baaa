package explore

import (
	"slices"

	"example.org/doorway/explore/internal/phase"
	"example.org/doorway/internal/seam"
)

// A scan finds the strongly connected components of a subgraph: the states for
// which in holds, and the steps between them for which edge holds. It calls f for
// each component, successors first, until f returns true (D. J.
// Pearce, "A space-efficient algorithm for finding strongly connected
// components", Information Processing Letters 116(1):47-52, 2016).
type scan[K key] struct {
	*scratch
	g    *graph[K]
	in   func(id int32) bool
	edge func(id int32, slot int, to int32) bool // nil: all
	f    func(c *component[K]) bool
}

// scratch is the memory of a scan: nine bytes per state, and a few more to count
// entries. Successive scans can share it.
type scratch struct {
	rank   []uint32 // by state: 0, not visited; its place in the search; or, from the top, its component
	stack  []int32  // from the front, the path of the search; from the back, visited states without a component
	bits   []uint8  // by place on the path: the next slot, and whether nothing earlier has been reached
	follow []uint8  // see precedes
}

const (
	isRoot   = 1 << 7
	slotBits = isRoot - 1
)

// reset prepares s for a scan.
func (s *scratch) reset(states int32) {
	if s.rank == nil {
		s.rank, s.stack, s.bits = make([]uint32, states), make([]int32, states), make([]uint8, states)
		return
	}
	clear(s.rank)
}

// A component is a strongly connected component of a subgraph.
type component[K key] struct {
	*scan[K]
	states []int32
	rank   uint32
}

// inside returns the successor of a state of c by slot, and reports whether it is in
// c too.
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

// fair reports whether a run that stays in c forever can be weakly fair: every
// process outside of its remainder section takes infinitely many steps, or is
// infinitely often unable to.
func (c *component[K]) fair() bool {
	for p := range c.g.n {
		if !slices.ContainsFunc(c.states, func(id int32) bool { return c.g.idle(id, p) || c.stay(id, p) >= 0 }) {
			return false
		}
	}
	return true
}

// idle reports whether process p need not, or cannot, take a step. Waiting for an
// atomic step of another process does not count: the step ends, and sync.Mutex,
// which implements register.Step, does not starve a waiter.
func (g *graph[K]) idle(id int32, p int) bool {
	return g.phase(id, p) == phase.Remainder ||
		g.successor(id, p) == blocked && g.node(id, p).Op != seam.OpBegin
}

// stay returns the slot of a step of process p from a state of c that stays in c,
// or -1.
func (c *component[K]) stay(id int32, p int) int {
	for slot := p; slot < c.g.slots; slot += c.g.n {
		if _, ok := c.inside(id, slot); ok {
			return slot
		}
	}
	return -1
}

// fairRun returns a component, in the subgraph of in and edge, in which a fair run
// can stay forever, or nil. In a component of one state without a step, every
// process is blocked or in its remainder section.
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

// steps selects all steps except giving up.
func (g *graph[K]) steps(id int32, slot int, _ int32) bool {
	return slot < g.n || g.phase(id, slot%g.n) == phase.Remainder
}

// busy reports whether process p is in its entry or exit section.
func (g *graph[K]) busy(id int32, p int) bool {
	ph := g.phase(id, p)
	return ph != phase.Remainder && ph != phase.Inside
}

// stuck returns a component in which a fair run can stay forever without an entry
// or an abort, although some process is in its entry or exit section; or nil. A
// process leaves its entry section only by entering.
func (g *graph[K]) stuck(m *scratch) *component[K] {
	return g.fairRun(m, func(id int32) bool {
		for p := range g.n {
			if g.busy(id, p) {
				return true
			}
		}
		return false
	}, func(id int32, slot int, to int32) bool {
		p := slot % g.n
		return g.steps(id, slot, to) && (g.phase(to, p) != phase.Inside || g.phase(id, p) == phase.Inside)
	})
}

// starves returns a component in which a fair run can stay forever while process p
// stays in its entry section, or in its exit section; or nil. If othersGiveUp is
// set, others may give up forever.
func (g *graph[K]) starves(m *scratch, p int, othersGiveUp bool) *component[K] {
	edge := g.steps
	if othersGiveUp {
		edge = nil
	}
	return g.fairRun(m, func(id int32) bool { return g.busy(id, p) }, edge)
}
