package nodes

import (
	"maps"
	"slices"

	"example.org/doorway/internal/space"
	"example.org/doorway/messaging"
)

// An occasion is what must happen eventually if it remains possible (weak fairness): the
// delivery of a message, the expiry of a timer, a start, and that a user leaves. What is
// first on a FIFO link remains first until it is delivered.
type occasion struct {
	node int
	input
}

// occasion returns what happens. What a message is changes with the ranks of its times, but it is first on
// its link.
func (g *graph[K]) occasion(l *label) occasion {
	o := occasion{l.node, l.input}
	if g.cells.ranked && l.what == gets {
		o.message = 0
	}
	return o
}

// labels appends the moves in a state, by slot.
func (g *graph[K]) labels(id space.ID, to []label) []label {
	b := &g.buffer
	g.unpack(g.Key(id), b)
	g.possible(b)
	for at := range b.events {
		if l := &b.events[at]; g.cells.shifts && l.err == nil {
			g.after(b, l) // for the shift
		}
	}
	return append(to, b.events...)
}

// label returns the move in a state by a slot. It keeps those of the latest state.
func (g *graph[K]) label(id space.ID, slot int) label {
	if s := &g.latest; s.labels == nil || s.of != id {
		s.of, s.labels = id, g.labels(id, s.labels[:0])
	}
	return g.latest.labels[slot]
}

// A draw is a choice of a node, in a state.
type draw struct {
	at space.ID
	occasion
}

// fair returns a part of a component in which a fair run can stay forever, or nil: whatever
// remains possible in all its states happens within it; and where a node chooses in one of them, so
// does each of its choices. Such a run need not take a choice that has results outside, so
// that a part may be fair although the whole is not.
func (g *graph[K]) fair(c *space.Component[K]) *space.Component[K] {
	if len(c.States) == 1 && !g.cells.chooses && g.transit(c.States[0]) && !g.loops(c) {
		return nil // a message is in transit, and each step leads out
	}
	var labels []label
	var always []occasion // that are possible in all states so far
	taken := map[occasion]bool{}
	inside, outside := map[draw]bool{}, map[draw]bool{} // with a result there
	shifts := false
	for nth, id := range c.States {
		labels = g.labels(id, labels[:0])
		var here []occasion
		for slot, l := range labels {
			_, stays := c.Inside(id, slot)
			shifts = shifts || stays && l.shift > 0
			o := g.occasion(&l)
			switch {
			case l.branches > 1 && stays:
				inside[draw{id, o}] = true
			case l.branches > 1:
				outside[draw{id, o}] = true
			}
			if g.free(&l) {
				continue
			}
			if len(c.States) == 1 && !stays && !g.cells.ranked {
				return nil
			}
			here = append(here, o)
			taken[o] = taken[o] || stays
		}
		if nth == 0 {
			always = here
		} else {
			always = slices.DeleteFunc(always, func(o occasion) bool { return !slices.Contains(here, o) })
		}
		if len(always) == 0 && !g.cells.chooses {
			return c
		}
	}
	if slices.ContainsFunc(always, func(o occasion) bool { return !taken[o] && (!shifts || !g.cells.timed(o.input)) }) {
		return nil
	}
	maps.DeleteFunc(inside, func(d draw, _ bool) bool { return !outside[d] })
	if len(inside) == 0 {
		return c
	}
	return g.fairWithout(c, inside)
}

// fairWithout returns a part of a component in which a fair run can stay forever, and some
// choices are not taken; or nil.
func (g *graph[K]) fairWithout(c *space.Component[K], choices map[draw]bool) (found *space.Component[K]) {
	sub := space.Subgraph[K]{Space: g.Space, In: c.Has, Edge: func(from space.ID, slot int, _ space.ID) bool {
		_, stays := c.Inside(from, slot)
		l := g.label(from, slot)
		return stays && !choices[draw{from, g.occasion(&l)}]
	}}
	sub.Components(new(space.Scratch), func(part *space.Component[K]) bool {
		found = g.fair(part)
		return found != nil
	})
	return found
}

// fairRun returns a component of a subgraph in which a fair run can stay forever, or nil.
func (g *graph[K]) fairRun(in func(id space.ID) bool, edge func(from space.ID, slot int, to space.ID) bool) (found *space.Component[K]) {
	sub := space.Subgraph[K]{Space: g.Space, In: in, Edge: edge, Order: g.order}
	sub.Components(&g.scratch, func(c *space.Component[K]) bool {
		found = g.fair(c)
		return found != nil
	})
	return found
}

func (g *graph[K]) at(id space.ID, i int) *cell {
	return g.cells.all[i][space.Get(g.Key(id), g.layout.cells[i])]
}

// phase returns the phase of node i in a state.
func (g *graph[K]) phase(id space.ID, i int) messaging.Phase {
	return g.phases[i][space.Get(g.Key(id), g.layout.cells[i])]
}

func (g *graph[K]) waits(id space.ID, i int) bool { return g.phase(id, i) == messaging.Waiting }

// waiting returns the nodes that wait in a state.
func (g *graph[K]) waiting(id space.ID) (all []messaging.ID) {
	for i := range g.c.Nodes {
		if g.waits(id, i) {
			all = append(all, messaging.ID(i))
		}
	}
	return all
}

// enters returns a node that enters between two states, or whose aborted request does; -1:
// none.
func (g *graph[K]) enters(from, to space.ID) int {
	k, then := g.Key(from), g.Key(to)
	for i, f := range g.layout.cells {
		n, m := space.Get(k, f), space.Get(then, f)
		if n == m {
			continue
		}
		a, b := g.phases[i][n], g.phases[i][m]
		if b == messaging.Inside && a != messaging.Inside || a == messaging.Absorbing && b == messaging.Idle && !g.cells.all[i][m].down {
			return i
		}
	}
	return -1
}

// asks reports whether an idle user requests between two states.
func (g *graph[K]) asks(from, to space.ID) bool {
	for i := range g.c.Nodes {
		if g.phase(from, i) == messaging.Idle && g.phase(to, i) != messaging.Idle {
			return true
		}
	}
	return false
}

// livelock returns a component in which a fair run can stay forever while a node waits, none enters, and
// those remain inside that it need not wait for; or nil.
func (g *graph[K]) livelock() *space.Component[K] {
	b := &g.buffer
	return g.fairRun(func(id space.ID) (waits bool) {
		b.waiting, b.inside = b.waiting[:0], b.inside[:0]
		for p := range messaging.ID(g.c.Nodes) {
			switch g.phase(id, int(p)) {
			case messaging.Waiting, messaging.Absorbing:
				b.waiting, waits = append(b.waiting, p), waits || g.waits(id, int(p))
			case messaging.Inside:
				b.inside = append(b.inside, p)
			}
		}
		return waits && g.excludes.Idle(b.waiting, b.inside)
	}, func(from space.ID, _ int, to space.ID) bool {
		i := g.turns(from, to)
		return g.enters(from, to) < 0 && (i < 0 || g.phase(from, i) != messaging.Inside)
	})
}

// endless returns a component in which a fair run can stay forever although users do
// nothing but leave, or nil; and whether a run can, fair or not.
func (g *graph[K]) endless() (found *space.Component[K], cyclic bool) {
	if g.order != nil {
		return nil, false
	}
	sub := space.Subgraph[K]{
		Space: g.Space, In: func(space.ID) bool { return true },
		Edge: func(from space.ID, _ int, to space.ID) bool { return !g.asks(from, to) },
	}
	sub.Components(&g.scratch, func(c *space.Component[K]) bool {
		if len(c.States) > 1 || g.loops(c) {
			cyclic = true
			found = g.fair(c)
		}
		return found != nil
	})
	return found, cyclic
}

// loops reports whether a step from the first state of a component stays there.
func (g *graph[K]) loops(c *space.Component[K]) bool {
	for slot := range g.Degree(c.States[0]) {
		if _, stays := c.Inside(c.States[0], slot); stays {
			return true
		}
	}
	return false
}

// transit reports whether a message is in transit in a state.
func (g *graph[K]) transit(id space.ID) bool {
	k := g.Key(id)
	for _, l := range g.used {
		if space.Get(k, g.links[l]) > 0 {
			return true
		}
	}
	return false
}

// stuckStates adds the nodes that wait in states that are stuck to those that starve, and
// returns the distance from the root of the nearest such states; -1: there are none.
func (g *graph[K]) stuckStates(r *Result) (nearest int) {
	nearest = -1
	for level := 0; level <= g.Depth(); level++ {
		g.AtLevel(level, func(id space.ID) {
			if !g.stuckAt(id) {
				return
			}
			r.Starving = append(r.Starving, g.waiting(id)...)
			if nearest < 0 {
				nearest = level
			}
		})
	}
	slices.Sort(r.Starving)
	r.Starving = slices.Compact(r.Starving)
	return nearest
}

// stuckAt reports whether a state is stuck.
func (g *graph[K]) stuckAt(id space.ID) bool {
	if g.transit(id) {
		return false
	}
	g.unpack(g.Key(id), &g.buffer)
	return g.stuck(&g.buffer)
}

// lasso returns the slots of a shortest path to a component, and those of a fair loop
// within it.
func (g *graph[K]) lasso(c *space.Component[K]) (prefix, loop []int) {
	start := g.Nearest(c.States)
	prefix = g.Paths().Shortest(g.Level(start), func(node int) bool { return space.ID(node) == start })
	tour := space.Tour[K]{Component: c, At: start}
	var labels []label
	stays := func(id space.ID, slot int) bool {
		_, stays := c.Inside(id, slot)
		return stays
	}
	shifting := func(id space.ID) int { // the slot of a step within c that shifts times; -1: none
		labels = g.labels(id, labels[:0])
		for slot, l := range labels {
			if l.shift > 0 && stays(id, slot) {
				return slot
			}
		}
		return -1
	}
	shifts := slices.ContainsFunc(c.States, func(id space.ID) bool { return shifting(id) >= 0 })
	tour.Meet(func(id space.ID) (slot int, possible bool) { return shifting(id), true })
	for _, l := range g.labels(start, nil) {
		if g.free(&l) || shifts && g.cells.timed(l.input) {
			continue
		}
		o := g.occasion(&l)
		tour.Meet(func(id space.ID) (slot int, possible bool) {
			labels, slot = g.labels(id, labels[:0]), -1
			for s, l := range labels {
				if g.free(&l) || g.occasion(&l) != o {
					continue
				}
				possible = true
				if slot < 0 && stays(id, s) {
					slot = s
				}
			}
			return slot, possible
		})
	}
	tour.To(func(id space.ID) bool { return id == start })
	return prefix, tour.Slots
}

// against returns the verdict of a history along slots, which fails as kind says.
func (g *graph[K]) against(title string, kind error, slots []int) space.Verdict {
	path, _ := g.along(g.Root, slots)
	return space.Verdict{Known: true, Against: g.tell(title, kind, path, -1)}
}
