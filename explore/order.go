package explore

import (
	"example.org/doorway/explore/internal/automaton"
	"example.org/doorway/explore/internal/phase"
)

// A precedence describes the entries of others while one process waits.
type precedence struct {
	most  int  // entries of another process, or unbounded
	all   int  // entries of all others together, or unbounded
	fails bool // another process can begin its doorway and enter
}

// precedes computes how often others enter while process p waits. Counting from
// the last components backwards, each state gets the most entries of each other
// process that can follow while p still waits, and in the place of p, of all others
// together; an entry within a component can repeat any number of times.
//
// If starving is not nil, it is called with a component in which a fair run can
// stay forever, if there is one: there p starves.
func (g *graph[K]) precedes(m *scratch, p int, starving func(*component[K])) precedence {
	var all precedence
	if m.follow == nil {
		m.follow = make([]uint8, int(g.limit())*g.n) // by state and process: the most entries that can follow; many: any number
	}
	follow := m.follow
	const many = 255
	waits := func(id int32) bool { return g.phase(id, p) == phase.Waiting }
	s := scan[K]{scratch: m, g: g, in: waits}
	s.f = func(c *component[K]) bool {
		if starving != nil && c.fair() {
			starving(c)
			starving = nil
		}
		var most [automaton.MaxProcesses]uint8
		for _, id := range c.states {
			for slot := range g.slots {
				to := g.successor(id, slot)
				if to < 0 || !waits(to) {
					continue
				}
				_, stays := c.inside(id, slot)
				enters := -1
				if q := slot % g.n; q != p && g.phase(id, q) != phase.Inside && g.phase(to, q) == phase.Inside {
					enters = q
				}
				for q := range g.n {
					var n uint8
					if !stays {
						n = follow[int(to)*g.n+q]
					}
					if enters >= 0 && (q == enters || q == p) {
						if n < many {
							n++
						}
						if stays {
							n = many
						}
					}
					most[q] = max(most[q], n)
				}
			}
		}
		for _, id := range c.states {
			copy(follow[int(id)*g.n:], most[:g.n])
			for q := range g.n {
				if q != p && most[q] > 0 && g.phase(id, q) == phase.Remainder {
					all.fails = true
				}
			}
		}
		for q := range g.n {
			bound := &all.most
			if q == p {
				bound = &all.all
			}
			if most[q] == many {
				*bound = unbounded
			} else if *bound != unbounded {
				*bound = max(*bound, int(most[q]))
			}
		}
		return all.most == unbounded && all.fails && starving == nil
	}
	s.run()
	return all
}

// An overtaking is the search for a run in which process p has completed its doorway
// and waits, while process q leaves its remainder section and enters.
type overtaking struct {
	p, q   int
	layers [][]int32 // by number of steps: the states first reached then, in which q is on its way
	seen   []uint64  // a bit for each state in layers
}

// overtaken returns the processes and a shortest schedule of a run that is not FIFO.
// Of several it picks the one with the lowest p, and then q. There must be one.
func (g *graph[K]) overtaken() (p, q int, schedule []int) {
	var all []*overtaking
	for p := range g.n {
		for q := range g.n {
			if p != q {
				all = append(all, &overtaking{p: p, q: q, seen: make([]uint64, g.limit()/64+1)})
			}
		}
	}
	for found := true; found; {
		found = false
		for _, o := range all {
			if g.follow(o) {
				return o.p, o.q, g.route(o)
			}
			at := len(o.layers)
			found = found || at < len(g.levels) || len(o.layers[at-1]) > 0
		}
	}
	panic("explore: internal error: a schedule that was found is gone")
}

// follow adds a layer to o, and reports whether q is inside in one of its states.
func (g *graph[K]) follow(o *overtaking) (enters bool) {
	var layer []int32
	add := func(id int32) {
		if o.seen[id/64]>>(id%64)&1 == 1 {
			return
		}
		o.seen[id/64] |= 1 << (id % 64)
		layer = append(layer, id)
		enters = enters || g.phase(id, o.q) == phase.Inside
	}
	at := len(o.layers)
	if at > 0 {
		for _, id := range o.layers[at-1] {
			for slot := range g.slots {
				if to := g.successor(id, slot); to >= 0 && g.phase(to, o.p) == phase.Waiting {
					add(to)
				}
			}
		}
	}
	if at < len(g.levels) {
		g.atLevel(at, func(id int32) {
			if g.comesLater(id, o) {
				add(id)
			}
		})
	}
	o.layers = append(o.layers, layer)
	return enters
}

// comesLater reports whether p waits and q has not begun its doorway.
func (g *graph[K]) comesLater(id int32, o *overtaking) bool {
	return g.phase(id, o.p) == phase.Waiting && g.phase(id, o.q) == phase.Remainder
}

// route returns the schedule to the last layer of o. A node of its paths is a state;
// from where q is on its way, size more.
func (g *graph[K]) route(o *overtaking) []int {
	size := int(g.limit())
	w := paths{
		slots: g.slots, size: 2 * size, root: int(g.root),
		each: func(at int, f func(node int)) {
			if at < len(g.levels) {
				g.atLevel(at, func(id int32) { f(int(id)) })
			}
			for _, id := range o.layers[at] {
				f(size + int(id))
			}
		},
		next: func(node, slot int) int {
			to := g.successor(int32(node%size), slot)
			switch {
			case to < 0:
				return -1
			case g.comesLater(to, o), node >= size && g.phase(to, o.p) == phase.Waiting:
				return size + int(to)
			}
			return int(to) // perhaps p entered first, and waits again
		},
	}
	return w.shortest(len(o.layers)-1, func(node int) bool {
		return node >= size && g.phase(int32(node-size), o.q) == phase.Inside
	})
}

// resting returns a bit for each process in its remainder section.
func (g *graph[K]) resting(id int32) uint8 {
	var is uint8
	for q := range g.n {
		if g.phase(id, q) == phase.Remainder {
			is |= 1 << q
		}
	}
	return is
}
