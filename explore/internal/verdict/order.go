package verdict

import (
	"example.org/doorway/explore/internal/graph"
	"example.org/doorway/explore/internal/phase"
	"example.org/doorway/internal/space"
)

// precedes finds how others precede process p. If starving is not nil, it is called with a
// region in which a fair run can stay forever, if there is one: there p starves.
func precedes[K space.Key](g *graph.Graph[K], m *memory, p int, starving func(*region[K])) space.Precedence {
	if m.follow == nil {
		m.follow = make([]uint8, int(g.End())*g.N)
	}
	wait := space.Wait[K]{
		Subgraph: *part(g, func(id space.ID) bool { return g.Phase(id, p) == phase.Waiting }, nil),
		Who:      p, Of: g.N, Follow: m.follow,
		Enters: func(from space.ID, slot int, to space.ID) int {
			if q := slot % g.N; q != p && g.Phase(from, q) != phase.Inside && g.Phase(to, q) == phase.Inside {
				return q
			}
			return -1
		},
		Idle: func(id space.ID, q int) bool { return g.Phase(id, q) == phase.Remainder },
	}
	return wait.Precedes(&m.Scratch, func(c *space.Component[K], so space.Precedence) bool {
		if starving == nil {
			return so.Most == space.Unbounded && so.Fails
		}
		if r := (&region[K]{c, g}); r.fair() {
			starving(r)
			starving = nil
		}
		return false
	})
}

// An overtaking is the search for a run in which process p has completed its doorway
// and waits, while process q leaves its remainder section and enters.
type overtaking[K space.Key] struct {
	g      *graph.Graph[K]
	p, q   int
	layers [][]space.ID // by number of steps: the states first reached then, in which q is on its way
	seen   []uint64     // a bit for each state in layers
}

// Overtaking returns the processes and a shortest schedule of a run in which one begins its
// doorway after the other has completed its own, and enters first. Of several it picks the
// one with the lowest number that is overtaken, and then of the other. There must be one.
func (q *Questions[K]) Overtaking() (overtaken, first int, schedule []int) {
	g := q.g
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
