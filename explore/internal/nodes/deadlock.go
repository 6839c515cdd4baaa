package nodes

import (
	"example.org/doorway/internal/node/history"
	"example.org/doorway/internal/space"
	"example.org/doorway/messaging"
)

// progress finds whether some node that waits enters, if no state is stuck. A node that cannot enter
// starves, or waits for one inside that it does not exclude.
func (g *graph) progress(r *Result) {
	if r.DeadlockFree.Against != nil || r.StarvationFree.Against == nil && g.excludes.Complete() {
		return
	}
	g.linger = true
	c := g.livelock()
	if c == nil {
		return
	}
	r.DeadlockFree = g.forever("livelock: a request is pending, and no node ever enters", c)
	if r.StarvationFree.Against == nil {
		r.StarvationFree, r.Starving = r.DeadlockFree, g.waiting(c.States[0])
	}
}

// livelock returns a component in which a fair run can stay forever while a node waits, none enters, and
// those remain inside that it need not wait for; or nil.
func (g *graph) livelock() *space.Component {
	b := &g.buffer
	sub := space.Subgraph{Graph: g.Graph, Order: g.order, In: func(id space.ID) (waits bool) {
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
	}, Edge: func(from space.ID, _ int, to space.ID) bool {
		i := g.turns(from, to)
		return g.enters(from, to) < 0 && (i < 0 || g.phase(from, i) != messaging.Inside)
	}}
	return sub.First(&g.scratch, g.fair)
}

// deadlock returns the verdict on the states that are stuck, of which the nearest are some
// level away.
func (g *graph) deadlock(level int) space.Verdict {
	slots := g.Paths().Shortest(level, func(node int) bool { return g.stuckAt(space.ID(node)) })
	return g.against(history.Stuck.Error(), history.Stuck, slots)
}

// stuckStates adds the nodes that wait in states that are stuck to those that starve, and
// returns the distance from the root of the nearest such states; -1: there are none.
func (g *graph) stuckStates(r *Result) (nearest int) {
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
	return nearest
}

// stuckAt reports whether a state is stuck.
func (g *graph) stuckAt(id space.ID) bool {
	if g.transit(id) {
		return false
	}
	g.unpack(g.Words(id), &g.buffer)
	return g.stuck(&g.buffer)
}
