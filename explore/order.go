package explore

// overtaking returns the most times that any process enters while process p
// waits, or Unbounded, and in that case a component in which it happens again
// and again.
func (g *graph[K]) overtaking(p int) (int, *component[K]) {
	best := make([]uint8, int(g.limit())*g.n) // by state and process: the most entries from there on
	most, unbounded := 0, (*component[K])(nil)
	s := scan[K]{g: g, in: func(id int32) bool { return g.phase(id, p) == Waiting }}
	s.f = func(c *component[K]) bool {
		var m [maxProcesses]uint8
		for _, id := range c.states {
			for slot := range g.n { // who gives up does not enter
				to := g.successor(id, slot)
				if to < 0 || g.phase(to, p) != Waiting {
					continue
				}
				enters := slot != p && g.phase(id, slot) != Inside && g.phase(to, slot) == Inside
				if _, stays := c.inside(id, slot); stays {
					if enters {
						unbounded = c
						return true
					}
					continue
				}
				for q := range g.n {
					b := best[int(to)*g.n+q]
					if enters && q == slot && b < 255 {
						b++
					}
					m[q] = max(m[q], b)
				}
			}
			for slot := g.n; slot < g.slots; slot++ {
				to := g.successor(id, slot)
				if to < 0 || g.phase(to, p) != Waiting {
					continue
				}
				for q := range g.n {
					m[q] = max(m[q], best[int(to)*g.n+q])
				}
			}
		}
		for _, id := range c.states {
			copy(best[int(id)*g.n:], m[:g.n])
		}
		for q := range g.n {
			most = max(most, int(m[q]))
		}
		return false
	}
	s.run()
	if unbounded != nil {
		return Unbounded, unbounded
	}
	return most, nil
}

// unfair returns a schedule in which process p ends its doorway while q is in its
// remainder section, and q then enters before p; or ok = false.
//
// It first goes breadth-first through the states in which p waits and some of the
// others were in their remainder section since it does, then looks for who
// enters.
func (g *graph[K]) unfair(p int) (start int32, steps []int, q int, ok bool) {
	seen := make([]uint8, g.limit()) // by state: of whom it has been found that they came later, a bit each
	type visit struct {
		id   int32
		from int32 // index of the visit before; -1: none
		slot int32
		who  uint8
	}
	var queue []visit
	enqueue := func(id int32, who uint8, from, slot int32) {
		if fresh := who &^ seen[id]; fresh != 0 {
			seen[id] |= fresh
			queue = append(queue, visit{id, from, slot, fresh})
		}
	}
	for id := range g.limit() {
		if !g.exists(id) || g.phase(id, p) != Waiting {
			continue
		}
		enqueue(id, g.resting(id), -1, -1)
	}
	for i := 0; i < len(queue); i++ {
		v := queue[i]
		for slot := range g.slots {
			to := g.successor(v.id, slot)
			if to < 0 || g.phase(to, p) != Waiting {
				continue
			}
			if slot < g.n && v.who>>slot&1 == 1 && g.phase(to, slot) == Inside {
				steps = append(steps, slot)
				for ; v.from >= 0; v = queue[v.from] {
					steps = append(steps, int(v.slot))
				}
				for a, b := 0, len(steps)-1; a < b; a, b = a+1, b-1 {
					steps[a], steps[b] = steps[b], steps[a]
				}
				return v.id, steps, slot, true
			}
			enqueue(to, v.who, int32(i), int32(slot))
		}
	}
	return 0, nil, 0, false
}

// resting returns who is in the remainder section, a bit each.
func (g *graph[K]) resting(id int32) uint8 {
	var who uint8
	for q := range g.n {
		if g.phase(id, q) == Remainder {
			who |= 1 << q
		}
	}
	return who
}
