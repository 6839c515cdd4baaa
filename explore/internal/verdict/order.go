package verdict

import (
	"example.org/doorway/explore/internal/automaton"
	"example.org/doorway/explore/internal/graph"
	"example.org/doorway/explore/internal/phase"
	"example.org/doorway/internal/space"
)

// A Precedence describes the entries of others while one process waits.
type Precedence struct {
	Most      int  // entries of another process, or unbounded
	All       int  // entries of all others together, or unbounded
	Overtaken bool // another process can begin its doorway and enter
}

// precedes computes how often others enter while process p waits. Counting from
// the last components backwards, each state gets the most entries of each other
// process that can follow while p still waits, and in the place of p, of all others
// together; an entry within a component can repeat any number of times.
//
// If starving is not nil, it is called with a region in which a fair run can
// stay forever, if there is one: there p starves.
func precedes[K space.Key](g *graph.Graph[K], m *memory, p int, starving func(*region[K])) Precedence {
	var all Precedence
	if m.follow == nil {
		m.follow = make([]uint8, int(g.End())*g.N)
	}
	follow := m.follow
	const many = 255
	waits := func(id space.ID) bool { return g.Phase(id, p) == phase.Waiting }
	part(g, waits, nil).Components(&m.Scratch, func(c *space.Component[K]) bool {
		if starving != nil {
			if r := (&region[K]{c, g}); r.fair() {
				starving(r)
				starving = nil
			}
		}
		var most [automaton.MaxProcesses]uint8
		for _, id := range c.States {
			for slot := range g.Slots {
				to := g.Successor(id, slot)
				if to < 0 || !waits(to) {
					continue
				}
				_, stays := c.Inside(id, slot)
				enters := -1
				if q := slot % g.N; q != p && g.Phase(id, q) != phase.Inside && g.Phase(to, q) == phase.Inside {
					enters = q
				}
				for q := range g.N {
					var n uint8
					if !stays {
						n = follow[int(to)*g.N+q]
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
		for _, id := range c.States {
			copy(follow[int(id)*g.N:], most[:g.N])
			for q := range g.N {
				if q != p && most[q] > 0 && g.Phase(id, q) == phase.Remainder {
					all.Overtaken = true
				}
			}
		}
		for q := range g.N {
			bound := &all.Most
			if q == p {
				bound = &all.All
			}
			if most[q] == many {
				*bound = graph.Unbounded
			} else if *bound != graph.Unbounded {
				*bound = max(*bound, int(most[q]))
			}
		}
		return all.Most == graph.Unbounded && all.Overtaken && starving == nil
	})
	return all
}

// An overtaking is the search for a run in which process p has completed its doorway
// and waits, while process q leaves its remainder section and enters.
type overtaking[K space.Key] struct {
	g      *graph.Graph[K]
	p, q   int
	layers [][]space.ID // by number of steps: the states first reached then, in which q is on its way
	seen   []uint64     // a bit for each state in layers
}

// overtaken returns the processes and a shortest schedule of a run that is not FIFO.
// Of several it picks the one with the lowest p, and then q. There must be one.
func overtaken[K space.Key](g *graph.Graph[K]) (p, q int, schedule []int) {
	var all []*overtaking[K]
	for p := range g.N {
		for q := range g.N {
			if p != q {
				all = append(all, &overtaking[K]{g: g, p: p, q: q, seen: make([]uint64, g.End()/64+1)})
			}
		}
	}
	for found := true; found; {
		found = false
		for _, o := range all {
			if o.follow() {
				return o.p, o.q, o.route()
			}
			at := len(o.layers)
			found = found || at <= g.Depth() || len(o.layers[at-1]) > 0
		}
	}
	panic("explore: internal error: a schedule that was found is gone")
}

// follow adds a layer to o, and reports whether q is inside in one of its states.
func (o *overtaking[K]) follow() (enters bool) {
	var layer []space.ID
	add := func(id space.ID) {
		if o.seen[id/64]>>(id%64)&1 == 1 {
			return
		}
		o.seen[id/64] |= 1 << (id % 64)
		layer = append(layer, id)
		enters = enters || o.g.Phase(id, o.q) == phase.Inside
	}
	at := len(o.layers)
	if at > 0 {
		for _, id := range o.layers[at-1] {
			for slot := range o.g.Slots {
				if to := o.g.Successor(id, slot); to >= 0 && o.g.Phase(to, o.p) == phase.Waiting {
					add(to)
				}
			}
		}
	}
	if at <= o.g.Depth() {
		o.g.AtLevel(at, func(id space.ID) {
			if o.comesLater(id) {
				add(id)
			}
		})
	}
	o.layers = append(o.layers, layer)
	return enters
}

// comesLater reports whether p waits and q has not begun its doorway.
func (o *overtaking[K]) comesLater(id space.ID) bool {
	return o.g.Phase(id, o.p) == phase.Waiting && o.g.Phase(id, o.q) == phase.Remainder
}

// route returns the schedule to the last layer of o. A node of its paths is a state;
// from where q is on its way, size more.
func (o *overtaking[K]) route() []int {
	w := o.g.Paths()
	size, each := w.Size, w.Each
	w.Size *= 2
	w.Each = func(level int, f func(node int)) {
		if level <= o.g.Depth() {
			each(level, f)
		}
		for _, id := range o.layers[level] {
			f(size + int(id))
		}
	}
	w.Next = func(node int, row []int) []int {
		for slot := range o.g.Slots {
			to := o.g.Successor(space.ID(node%size), slot)
			switch {
			case to < 0:
				row = append(row, -1)
			case o.comesLater(to), node >= size && o.g.Phase(to, o.p) == phase.Waiting:
				row = append(row, size+int(to))
			default:
				row = append(row, int(to)) // perhaps p entered first, and waits again
			}
		}
		return row
	}
	return w.Shortest(len(o.layers)-1, func(node int) bool {
		return node >= size && o.g.Phase(space.ID(node-size), o.q) == phase.Inside
	})
}
