package space

import "slices"

// A Subgraph is a part of the states, and of the steps between them, of a Space that keeps
// successors.
type Subgraph struct {
	*Graph
	In    func(i ID) bool                     // whether a state is part of it
	Edge  func(from ID, slot int, to ID) bool // whether a step between two states is; nil: all
	Order []ID                                // that of the space, if it has no cycles; nil: not known
}

// Scratch is the memory in which Components works: ten bytes per state. Successive calls
// can share it.
type Scratch struct {
	rank  []uint32 // by state: 0, not visited; its place in the search; or, from the top, its component
	stack []ID     // from the front, the path of the search; from the back, visited states without a component
	bits  []uint16 // by place on the path: the next slot, and whether nothing earlier has been reached
}

// ScratchBytes is how many bytes a Scratch takes for each state.
const ScratchBytes = 4 + 4 + 2

const (
	isRoot   = 1 << 15
	slotBits = isRoot - 1

	// MostSteps is how many steps there may be from a state of a Subgraph.
	MostSteps = slotBits
)

func (m *Scratch) reset(states ID) {
	if len(m.rank) < int(states) {
		m.rank, m.stack, m.bits = make([]uint32, states), make([]ID, states), make([]uint16, states)
		return
	}
	clear(m.rank)
}

// A Component is a strongly connected component of a subgraph.
type Component struct {
	*Subgraph
	States []ID
	m      *Scratch // nil: it is one state, without a step to itself
	rank   uint32
}

// Has reports whether a state is one of the component.
func (c *Component) Has(i ID) bool {
	if c.m == nil {
		return i == c.States[0]
	}
	return c.m.rank[i] == c.rank
}

// Inside returns the successor of a state of the component by slot, and reports whether
// the step stays in the component.
func (c *Component) Inside(i ID, slot int) (ID, bool) {
	to := c.Successor(i, slot)
	return to, c.stays(i, slot, to)
}

func (c *Component) stays(i ID, slot int, to ID) bool {
	return c.m != nil && to >= 0 && c.m.rank[to] == c.rank && (c.Edge == nil || c.Edge(i, slot, to))
}

// Way returns the state of the component nearest to from for which goal holds, and the
// slots of the steps to it; from itself if there is none.
func (c *Component) Way(from ID, goal func(i ID) bool) (ID, []int) {
	type visit struct {
		from ID
		slot int
	}
	came := map[ID]visit{from: {-1, -1}}
	for queue := []ID{from}; len(queue) > 0; queue = queue[1:] {
		i := queue[0]
		if goal(i) {
			steps := make([]int, 0)
			for at := i; at != from; at = came[at].from {
				steps = append(steps, came[at].slot)
			}
			slices.Reverse(steps)
			return i, steps
		}
		for slot := range c.Degree(i) {
			to, ok := c.Inside(i, slot)
			if _, known := came[to]; ok && !known {
				came[to] = visit{i, slot}
				queue = append(queue, to)
			}
		}
	}
	return from, nil
}

// Components calls f for each strongly connected component, successors first, until f
// returns true (D. J. Pearce, "A space-efficient algorithm for finding strongly connected
// components", Information Processing Letters 116(1):47-52, 2016).
func (g *Subgraph) Components(m *Scratch, f func(c *Component) bool) {
	if g.Order != nil {
		g.ordered(f)
		return
	}
	m.reset(g.End())
	rank, stack, bits := m.rank, m.stack, m.bits
	index, top := uint32(1), ^uint32(0) // components are ranked from the top down
	front, back := 0, len(stack)
	push := func(i ID) {
		rank[i] = index
		index++
		stack[front], bits[front] = i, isRoot
		front++
	}
	for start := range g.End() {
		if g.Has(start) && rank[start] == 0 && g.In(start) {
			push(start)
		}
		for front > 0 {
			at := stack[front-1]
			if slot := int(bits[front-1] & slotBits); slot < g.Degree(at) {
				bits[front-1]++
				to := g.Successor(at, slot)
				if to < 0 || g.Edge != nil && !g.Edge(at, slot, to) {
					continue
				}
				switch {
				case rank[to] == 0 && !g.In(to):
				case rank[to] == 0:
					push(to)
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
			c := Component{g, m.component(at, back, top), m, top}
			index -= uint32(len(c.States))
			top--
			back += len(c.States)
			if f(&c) {
				return
			}
		}
	}
}

// ordered is Components of states without cycles.
func (g *Subgraph) ordered(f func(c *Component) bool) {
	for k, i := range g.Order {
		if g.In(i) && f(&Component{Subgraph: g, States: g.Order[k : k+1]}) {
			return
		}
	}
}

// component returns the states of the component of root, which begin at a place of the stack, and ranks them.
func (m *Scratch) component(root ID, from int, top uint32) []ID {
	last := from + 1
	for last < len(m.stack) && m.rank[m.stack[last]] >= m.rank[root] {
		last++
	}
	states := m.stack[from:last]
	for _, i := range states {
		m.rank[i] = top
	}
	return states
}

// First returns what f returns of the first component for which that is not nil; or nil.
func (g *Subgraph) First(m *Scratch, f func(c *Component) *Component) (found *Component) {
	g.Components(m, func(c *Component) bool {
		found = f(c)
		return found != nil
	})
	return found
}
