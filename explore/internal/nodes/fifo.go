package nodes

import (
	"fmt"

	"example.org/doorway/internal/node/history"
	"example.org/doorway/internal/space"
	"example.org/doorway/messaging"
)

// orders finds how often others enter while a node waits, and whether nodes enter in the
// order of their requests. The doorway of a node is its Request. If forever is set, it
// also finds the nodes that may wait forever although others go on.
func (g *graph) orders(r *Result, forever bool) {
	follow := make([]uint8, int(g.End())*g.c.Nodes)
	var all space.Precedence
	for p := range g.c.Nodes {
		known := !forever
		w := g.wait(p, follow).Precedes(&g.scratch, func(c *space.Component, _ space.Precedence) bool {
			known = known || g.starves(r, p, c)
			return false
		})
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
func (g *graph) wait(p int, follow []uint8) *space.Wait {
	w := &space.Wait{
		Subgraph: space.Subgraph{Graph: g.Graph, In: func(id space.ID) bool { return g.waits(id, p) }, Order: g.order},
		Who:      p, Of: g.c.Nodes, Follow: follow,
		Enters: func(from space.ID, _ int, to space.ID) int { return g.enters(from, to) },
		Idle:   func(id space.ID, q int) bool { return g.phase(id, q) == messaging.Idle },
	}
	if g.c.Withdrawals > 0 {
		w.Again = g.again
	}
	return w
}

// again returns the node that makes a request again which it has aborted, between two states; -1: none. That
// is a new request, though the node cannot tell.
func (g *graph) again(from, to space.ID) int {
	if i := g.turns(from, to); i >= 0 && g.phase(from, i) == messaging.Absorbing && g.waits(to, i) {
		return i
	}
	return -1
}

// overtaken returns the verdict, with a shortest history, that another node requests while
// p waits, and enters first. There must be one.
func (g *graph) overtaken(p int) space.Verdict {
	_, by, slots := space.Overtaking(g.Paths(), g.wait(p, nil))
	return g.against(fmt.Sprintf("not FIFO: %s asks while %s waits, and enters first", named(by), named(p)), history.Endless, slots)
}
