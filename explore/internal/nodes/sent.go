package nodes

import (
	"slices"

	"example.org/doorway/internal/space"
	"example.org/doorway/messaging"
)

// sent returns the most messages an entry, as the messages and the entries of a run that
// begins and ends at rest; or Unbounded messages if a run can send forever. Both are 0 with
// faults, aborts or unbounded requests, and of an algorithm that never comes to rest.
func (g *graph) sent() (messages, entries int) {
	if g.c.Perpetual || g.c.budgets() != [budgets]int{} || slices.Contains(g.c.Requests, Unbounded) {
		return 0, 0
	}
	if g.order == nil {
		if g.sendsForever() {
			return Unbounded, 0
		}
		return 0, 0
	}
	total := g.requestsLeft(g.Root)
	most := make([]int32, g.End()) // of the runs to a state
	for _, id := range slices.Backward(g.order) {
		for slot := range g.Degree(id) {
			if to := g.Successor(id, slot); to >= 0 {
				most[to] = max(most[to], most[id]+g.posts(id, to))
			}
		}
		k, n := int(most[id]), total-g.requestsLeft(id)
		more := k*entries - messages*n
		if n > 0 && (entries == 0 || more > 0 || more == 0 && n < entries) && g.rests(id) {
			messages, entries = k, n
		}
	}
	return messages, entries
}

// sendsForever reports whether a message is sent in a cycle.
func (g *graph) sendsForever() (sends bool) {
	sub := space.Subgraph{Graph: g.Graph, In: func(space.ID) bool { return true }}
	sub.Components(&g.scratch, func(c *space.Component) bool {
		for _, id := range c.States {
			for slot := range g.Degree(id) {
				to, stays := c.Inside(id, slot)
				sends = sends || stays && g.posts(id, to) > 0
			}
		}
		return sends
	})
	return sends
}

// posts returns the number of messages that are sent between two states.
func (g *graph) posts(from, to space.ID) (n int32) {
	a, b := g.Words(from), g.Words(to)
	for _, l := range g.used {
		before, after := g.links[l].Of(a), g.links[l].Of(b)
		if before != after {
			n += int32(max(0, len(g.cells.links[l][after].messages)-len(g.cells.links[l][before].messages)))
		}
	}
	return n
}

// requestsLeft returns how many requests users may still make in a state.
func (g *graph) requestsLeft(id space.ID) (n int) {
	for i := range g.c.Nodes {
		n += g.at(id, i).left
	}
	return n
}

// rests reports whether no request is pending in a state, and no message in transit. Timers
// may run: such as those of requests that are over, which nothing waits for.
func (g *graph) rests(id space.ID) bool {
	for i := range g.c.Nodes {
		if g.phase(id, i) != messaging.Idle {
			return false
		}
	}
	return !g.transit(id)
}
