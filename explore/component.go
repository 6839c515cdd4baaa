package explore

// A scan finds strongly connected components of a part of a graph: the states
// that in says are in it, and the steps between them for which edge holds. It
// calls f for each component, successors first (D. J. Pearce, "A
// space-efficient algorithm for finding strongly connected components",
// Information Processing Letters 116(1):47-52, 2016), until f returns true.
//
// It takes four bytes for each state, and as many for the depth of the search.
type scan[K key] struct {
	g    *graph[K]
	in   func(id int32) bool
	edge func(id int32, slot int, to int32) bool // nil: all
	f    func(c *component[K]) bool

	rank []uint32 // by state: 0, not visited; its place in the search; or, from the top, its component
}

// A component is a strongly connected part of a graph.
type component[K key] struct {
	*scan[K]
	states []int32
	rank   uint32
}

// inside says whether the step of slot from a state of c leads to a state of c
// too, and to which.
func (c *component[K]) inside(id int32, slot int) (int32, bool) {
	to := c.g.successor(id, slot)
	return to, to >= 0 && c.scan.rank[to] == c.rank && (c.edge == nil || c.edge(id, slot, to))
}

// frame is a state on the path of the search, and the slot that it is at.
type frame struct {
	id   int32
	slot int32
}

func (s *scan[K]) run() {
	g := s.g
	s.rank = make([]uint32, g.limit())
	index, top := uint32(1), ^uint32(0) // components are ranked from the top down
	var path []frame
	var done []int32 // visited, and not in a component yet
	var root []bool  // by frame: nothing earlier has been reached from it
	var c component[K]
	push := func(id int32) {
		s.rank[id] = index
		index++
		path, root = append(path, frame{id, 0}), append(root, true)
	}
	for start := range g.limit() {
		if !g.exists(start) || s.rank[start] != 0 || !s.in(start) {
			continue
		}
		push(start)
		for len(path) > 0 {
			at := &path[len(path)-1]
			if int(at.slot) < g.slots {
				slot := int(at.slot)
				at.slot++
				to := g.successor(at.id, slot)
				if to < 0 || s.edge != nil && !s.edge(at.id, slot, to) {
					continue
				}
				switch {
				case s.rank[to] != 0:
					if s.rank[to] < s.rank[at.id] {
						s.rank[at.id] = s.rank[to]
						root[len(root)-1] = false
					}
				case s.in(to):
					push(to)
				}
				continue
			}
			v, isRoot := at.id, root[len(root)-1]
			path, root = path[:len(path)-1], root[:len(root)-1]
			if len(path) > 0 {
				if u := path[len(path)-1].id; s.rank[v] < s.rank[u] {
					s.rank[u] = s.rank[v]
					root[len(root)-1] = false
				}
			}
			done = append(done, v)
			if !isRoot {
				continue
			}
			from := len(done) - 1
			for from > 0 && s.rank[done[from-1]] >= s.rank[v] {
				from--
			}
			c = component[K]{s, done[from:], top}
			for _, w := range c.states {
				s.rank[w] = top
				index--
			}
			top--
			if s.f(&c) {
				return
			}
			done = done[:from]
		}
	}
}

// fair says whether a run that stays in c for ever can be weakly fair: every
// process that is not in its remainder section makes a step again and again, or
// is again and again unable to.
func (c *component[K]) fair() bool {
	for p := range c.g.n {
		if _, _, ok := c.excuse(p); !ok {
			return false
		}
	}
	return true
}

// excuse returns a state of c in which process p makes a step that stays in c,
// with its slot, or one, with slot -1, in which it need not or cannot make one.
func (c *component[K]) excuse(p int) (id int32, slot int, ok bool) {
	g := c.g
	for _, id := range c.states {
		if g.phase(id, p) == Remainder || g.successor(id, p) == blocked {
			return id, -1, true
		}
		for slot := p; slot < g.slots; slot += g.n {
			if _, stays := c.inside(id, slot); stays {
				return id, slot, true
			}
		}
	}
	return 0, 0, false
}

// fairRun returns a component of the part of the graph that in and edge
// describe in which a run can stay for ever and be fair, or nil. A single state without a
// step is one where everybody is blocked or content.
func (g *graph[K]) fairRun(in func(int32) bool, edge func(int32, int, int32) bool) *component[K] {
	var got *component[K]
	s := scan[K]{g: g, in: in, edge: edge, f: func(c *component[K]) bool {
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

// stuck returns where runs can stay for ever in which somebody wants to enter,
// nobody is inside, nobody gives up any more, and nobody ever enters; or nil.
func (g *graph[K]) stuck() *component[K] {
	return g.fairRun(func(id int32) bool {
		wanted := false
		for p := range g.n {
			switch g.phase(id, p) {
			case Inside:
				return false
			case Doorway, Waiting:
				wanted = true
			}
		}
		return wanted
	}, g.steps)
}

// starves returns where runs can stay for ever in which process p stays in its
// entry protocol; or nil. If pestered, others may give up for ever.
func (g *graph[K]) starves(p int, pestered bool) *component[K] {
	edge := g.steps
	if pestered {
		edge = nil
	}
	return g.fairRun(func(id int32) bool { return g.entry(id, p) }, edge)
}
