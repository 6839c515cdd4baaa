package explore

import "slices"

// A precedence describes the entries of others while one process waits.
type precedence struct {
	most int // the bypass bound, or unbounded

	// If FIFO fails: a state in which the process waits while other is in its
	// remainder section, and can enter first.
	later int32
	other int
	fails bool
}

// precedes computes how often others enter while process p waits. Counting from
// the last components backwards, each state gets the most entries of each other
// process that can follow while p still waits; an entry within a component can
// repeat any number of times.
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
	waits := func(id int32) bool { return g.phase(id, p) == phaseWaiting }
	s := scan[K]{scratch: m, g: g, in: waits}
	s.f = func(c *component[K]) bool {
		if starving != nil && c.fair() {
			starving(c)
			starving = nil
		}
		var most [maxProcesses]uint8
		for _, id := range c.states {
			for slot := range g.slots {
				to := g.successor(id, slot)
				if to < 0 || !waits(to) {
					continue
				}
				_, stays := c.inside(id, slot)
				for q := range g.n {
					var n uint8
					if !stays {
						n = follow[int(to)*g.n+q]
					}
					if q == slot%g.n && q != p && g.phase(id, q) != phaseInside && g.phase(to, q) == phaseInside {
						if n < many {
							n++
						}
						if stays {
							n = many
						}
					}
					if n == many {
						all.most = unbounded
					}
					most[q] = max(most[q], n)
				}
			}
		}
		for _, id := range c.states {
			copy(follow[int(id)*g.n:], most[:g.n])
			for q := range g.n {
				if most[q] > 0 && (!all.fails || id < all.later) && g.phase(id, q) == phaseRemainder {
					all.later, all.other, all.fails = id, q, true
				}
			}
		}
		if all.most != unbounded {
			for q := range g.n {
				all.most = max(all.most, int(most[q]))
			}
		}
		return all.most == unbounded && all.fails && starving == nil
	}
	s.run()
	return all
}

// bypassed returns a schedule in which process w.other arrives while p waits, and
// enters first.
func (g *graph[K]) bypassed(p int, w precedence) []int {
	schedule := g.to(g.level(w.later), func(id int32) bool { return id == w.later })
	type visit struct {
		from int32
		slot int
	}
	came := map[int32]visit{w.later: {-1, -1}}
	for queue := []int32{w.later}; len(queue) > 0; queue = queue[1:] {
		id := queue[0]
		if g.phase(id, w.other) == phaseInside {
			var steps []int
			for at := id; at != w.later; at = came[at].from {
				steps = append(steps, came[at].slot)
			}
			slices.Reverse(steps)
			return append(schedule, steps...)
		}
		for slot := range g.slots {
			to := g.successor(id, slot)
			if _, known := came[to]; to >= 0 && !known && g.phase(to, p) == phaseWaiting {
				came[to] = visit{id, slot}
				queue = append(queue, to)
			}
		}
	}
	panic("explore: internal error: a schedule that was found is gone")
}

// resting returns a bit for each process in its remainder section.
func (g *graph[K]) resting(id int32) uint8 {
	var is uint8
	for q := range g.n {
		if g.phase(id, q) == phaseRemainder {
			is |= 1 << q
		}
	}
	return is
}
