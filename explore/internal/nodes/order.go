package nodes

import (
	"fmt"
	"slices"

	"example.org/doorway/internal/history"
	"example.org/doorway/internal/space"
	"example.org/doorway/messaging"
)

// orders finds how often others enter while a node waits, and whether nodes enter in the
// order of their requests. The doorway of a node is its Request. If forever is set, it
// also finds the nodes that may wait forever although others go on.
func (g *graph[K]) orders(r *Result, forever bool) {
	if !g.cells.ranked {
		r.FIFO, r.HappenedBefore, r.ByStamp, r.Fencing = holds, holds, g.byStamp(), g.fencing()
	}
	r.Messages, r.Entries = g.sent()
	follow := make([]uint8, int(g.End())*g.c.Nodes)
	var all space.Precedence
	for p := range g.c.Nodes {
		w, starves := g.precedes(p, follow, forever)
		if starves != nil {
			r.Starving = append(r.Starving, messaging.ID(p))
			if r.StarvationFree.Against == nil {
				r.StarvationFree = *starves
			}
		}
		all = all.Or(w)
		if w.Fails && r.FIFO.Known && r.FIFO.Against == nil {
			r.FIFO = g.overtaken(p)
		}
		if w.Fails && r.HappenedBefore.Known && r.HappenedBefore.Against == nil {
			r.HappenedBefore = g.happenedBefore(p, follow)
		}
	}
	r.Bypasses, r.BypassesByAll = all.Most, all.All
}

// wait returns the wait of node p, with the most entries that can follow, if they are known.
func (g *graph[K]) wait(p int, follow []uint8) *space.Wait[K] {
	w := &space.Wait[K]{
		Subgraph: space.Subgraph[K]{Space: g.Space, In: func(id space.ID) bool { return g.waits(id, p) }, Order: g.order},
		Who:      p, Of: g.c.Nodes, Follow: follow,
		Enters: func(from space.ID, _ int, to space.ID) int { return g.enters(from, to) },
		Idle:   func(id space.ID, q int) bool { return g.phase(id, q) == messaging.Idle },
	}
	if g.c.Withdrawals > 0 {
		w.Again = g.again
	}
	return w
}

// precedes finds how others precede node p. If forever is set, it also returns the verdict
// against p if it starves.
func (g *graph[K]) precedes(p int, follow []uint8, forever bool) (w space.Precedence, starves *space.Verdict) {
	w = g.wait(p, follow).Precedes(&g.scratch, func(c *space.Component[K], _ space.Precedence) bool {
		if forever && starves == nil {
			if part := g.lasting(c, p); part != nil {
				v := g.forever(named(p)+" starves", part)
				starves = &v
			}
		}
		return false
	})
	return w, starves
}

// again returns the node that makes a request again which it has aborted, between two states; -1: none. That
// is a new request, though the node cannot tell.
func (g *graph[K]) again(from, to space.ID) int {
	if i := g.turns(from, to); i >= 0 && g.phase(from, i) == messaging.Absorbing && g.waits(to, i) {
		return i
	}
	return -1
}

// overtaken returns the verdict, with a shortest history, that another node requests while
// p waits, and enters first. There must be one.
func (g *graph[K]) overtaken(p int) space.Verdict {
	_, by, slots := space.Overtaking(g.Paths(), g.wait(p, nil))
	return g.against(fmt.Sprintf("not FIFO: %s asks while %s waits, and enters first", named(by), named(p)), history.Endless, slots)
}

// fencing finds whether the tokens of entries grow ([messaging.Token]). It is unknown if none has an epoch: the
// count, which the nodes of a [messaging.Cluster] share, grows with each entry.
func (g *graph[K]) fencing() space.Verdict {
	if !slices.ContainsFunc(g.cells.nodes, func(n messaging.Node) bool { _, has := messaging.As[messaging.Epocher](n); return has }) {
		return space.Verdict{}
	}
	var title string
	slots, fails := space.Shortest(func() *space.Search[K] {
		var all times // the epochs of the last entries, by node
		now := make([]messaging.Time, g.c.Nodes)
		return &space.Search[K]{
			Space: g.Space, First: all.number(now), Known: g.visited(),
			Next: func(p space.Past, slot int, to space.ID, f func(memory uint32)) (wrong bool) {
				i := g.enters(p.ID, to)
				if i < 0 {
					f(p.Memory)
					return false
				}
				copy(now, all.of[p.Memory])
				epoch := messaging.Time(g.label(p.ID, slot).epoch)
				for j, before := range now {
					if epoch < before && (i == j || g.excludes.Excludes(messaging.ID(i), messaging.ID(j))) {
						title = fmt.Sprintf("%v: %s enters in epoch %d after %s in epoch %d", history.Fencing, named(i), epoch, named(j), before)
						return true
					}
				}
				now[i] = epoch
				f(all.number(now))
				return false
			},
		}
	})
	if !fails {
		return holds
	}
	return g.against(title, history.Fencing, slots)
}
