package nodes

import (
	"maps"
	"slices"

	"example.org/doorway/internal/space"
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
func (g *graph) occasion(l *label) occasion {
	o := occasion{l.node, l.input}
	if g.cells.ranked && l.what == gets {
		o.message = 0
	}
	return o
}

// must is the [space.Events] of the occasions in a state.
func (g *graph) must(id space.ID, f func(slot int, o occasion)) {
	for slot, l := range g.possibleIn(id) {
		if !g.free(&l) {
			f(slot, g.occasion(&l))
		}
	}
}

// fair returns a part of a component in which a fair run can stay forever, or nil: whatever
// remains possible in all its states happens within it; and where a node chooses in one of them, so
// does each of its choices. Such a run need not take a choice that has results outside, so
// that a part may be fair although the whole is not.
func (g *graph) fair(c *space.Component) *space.Component {
	if len(c.States) == 1 && !g.cells.chooses && g.transit(c.States[0]) && !g.loops(c) {
		return nil // a message is in transit, and each step leads out
	}
	ignored := space.Ignored(c, g.must)
	if slices.ContainsFunc(ignored, func(o occasion) bool { return !g.cells.timed(o.input) }) || len(ignored) > 0 && !g.shifting(c) {
		return nil
	}
	choices := g.parting(c)
	if len(choices) == 0 {
		return c
	}
	sub := space.Subgraph{Graph: g.Graph, In: c.Has, Edge: func(from space.ID, slot int, _ space.ID) bool {
		_, stays := c.Inside(from, slot)
		l := g.label(from, slot)
		return stays && !choices[draw{from, g.occasion(&l)}]
	}}
	return sub.First(new(space.Scratch), g.fair)
}

// shifting reports whether a step within a component shifts times.
func (g *graph) shifting(c *space.Component) bool {
	return slices.ContainsFunc(c.States, func(id space.ID) bool { return g.shiftWithin(c, id) >= 0 })
}

// shiftWithin returns the slot of a step from a state that stays in a component and shifts times; -1: none.
func (g *graph) shiftWithin(c *space.Component, id space.ID) int {
	for slot, l := range g.possibleIn(id) {
		if _, stays := c.Inside(id, slot); stays && l.shift > 0 {
			return slot
		}
	}
	return -1
}

// A draw is a choice of a node, in a state.
type draw struct {
	at space.ID
	occasion
}

// parting returns the choices of nodes that have results within a component, and outside.
func (g *graph) parting(c *space.Component) map[draw]bool {
	if !g.cells.chooses {
		return nil
	}
	inside, outside := map[draw]bool{}, map[draw]bool{}
	for _, id := range c.States {
		for slot, l := range g.possibleIn(id) {
			results := outside
			if _, stays := c.Inside(id, slot); stays {
				results = inside
			}
			if l.branches > 1 {
				results[draw{id, g.occasion(&l)}] = true
			}
		}
	}
	maps.DeleteFunc(inside, func(d draw, _ bool) bool { return !outside[d] })
	return inside
}

// loops reports whether a step from the first state of a component stays there.
func (g *graph) loops(c *space.Component) bool {
	for slot := range g.Degree(c.States[0]) {
		if _, stays := c.Inside(c.States[0], slot); stays {
			return true
		}
	}
	return false
}

// lasso returns the slots of a shortest path to a component, and those of a fair loop
// within it.
func (g *graph) lasso(c *space.Component) (prefix, loop []int) {
	start := g.Nearest(c.States)
	prefix = g.Paths().Shortest(g.Level(start), func(node int) bool { return space.ID(node) == start })
	tour := space.Tour{Component: c, At: start}
	must := g.must
	if g.shifting(c) {
		tour.Meet(func(id space.ID) (slot int, possible bool) { return g.shiftWithin(c, id), true })
		must = func(id space.ID, f func(slot int, o occasion)) {
			g.must(id, func(slot int, o occasion) {
				if !g.cells.timed(o.input) {
					f(slot, o)
				}
			})
		}
	}
	space.Return(&tour, start, must)
	return prefix, tour.Slots
}
