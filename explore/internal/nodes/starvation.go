package nodes

import (
	"example.org/doorway/internal/space"
	"example.org/doorway/messaging"
)

// starves adds the verdict against node p, which can wait forever if a fair run can stay in a component
// where it waits, although others go on.
func (g *graph) starves(r *Result, p int, c *space.Component) bool {
	part := g.lasting(c, p)
	if part == nil {
		return false
	}
	r.Starving = append(r.Starving, messaging.ID(p))
	if r.StarvationFree.Against == nil {
		r.StarvationFree = g.forever(named(p)+" starves", part)
	}
	return true
}

// lasting returns a part of a component in which a fair run can stay forever while node p waits, or nil.
// There are finitely many times before one that remains. So a time that never falls does not grow
// forever below one of node p that never changes: steps by which it does are left out.
func (g *graph) lasting(c *space.Component, p int) *space.Component {
	found := g.fair(c)
	if found == nil || !g.cells.ranked {
		return found
	}
	times := func(n uint32) []messaging.Time { return g.cells.positions[n].times }
	some := func(is func(id space.ID, l label) bool) (found bool) { // of the steps within c
		for _, id := range c.States {
			for slot, l := range g.possibleIn(id) {
				_, stays := c.Inside(id, slot)
				found = stays && is(id, l) || found
			}
		}
		return found
	}
	changes := map[[2]int]bool{} // by node and number of the time: it falls; of node p: it changes
	some(func(_ space.ID, l label) bool {
		before, after := times(l.before), times(l.position)
		for k := range max(len(before), len(after)) {
			if len(before) != len(after) || after[k] < before[k] || l.node == p && after[k] > before[k] {
				changes[[2]int{l.node, k}] = true
			}
		}
		return false
	})
	grows := func(from space.ID, l label) bool {
		var remains messaging.Time
		for k, t := range times(g.at(from, p).position) {
			if !changes[[2]int{p, k}] {
				remains = max(remains, t)
			}
		}
		after := times(l.position)
		for k, t := range times(l.before) {
			if !changes[[2]int{l.node, k}] && t < after[k] && after[k] <= remains {
				return true
			}
		}
		return false
	}
	if !some(grows) {
		return found
	}
	sub := space.Subgraph{Graph: g.Graph, In: c.Has, Edge: func(from space.ID, slot int, _ space.ID) bool {
		_, stays := c.Inside(from, slot)
		return stays && !grows(from, g.label(from, slot))
	}}
	return sub.First(new(space.Scratch), func(part *space.Component) *space.Component { return g.lasting(part, p) })
}
