package nodes

import (
	"fmt"
	"slices"

	"example.org/doorway/internal/history"
	"example.org/doorway/internal/space"
	"example.org/doorway/messaging"
)

// many is any number of entries that can follow.
const many = 255

// orders finds how often others enter while a node waits, and whether nodes enter in the
// order of their requests. The doorway of a node is its Request. If forever is set, it
// also finds the nodes that may wait forever although others go on.
func (g *graph[K]) orders(r *Result, forever bool) {
	r.FIFO, r.HappenedBefore, r.ByStamp = holds, holds, g.byStamp()
	r.Messages, r.Entries = g.sent()
	follow := make([]uint8, int(g.End())*g.c.Nodes)
	for p := range g.c.Nodes {
		w, starves := g.precedes(p, follow, forever)
		if starves != nil {
			r.Starving = append(r.Starving, messaging.ID(p))
			if r.StarvationFree.Against == nil {
				r.StarvationFree = *starves
			}
		}
		r.Bypasses, r.BypassesByAll = most(r.Bypasses, w.most), most(r.BypassesByAll, w.all)
		if w.fails && r.FIFO.Against == nil {
			r.FIFO = g.overtaken(p)
		}
		if w.fails && r.HappenedBefore.Against == nil {
			r.HappenedBefore = g.happenedBefore(p, follow)
		}
	}
}

// A precedence describes the entries of others while a node waits.
type precedence struct {
	most  int  // entries of another node, or Unbounded
	all   int  // entries of all others together, or Unbounded
	fails bool // another node can request and enter
}

// precedes counts from the last components backwards: each state gets the most entries of
// each other node that can follow while p still waits, and in the place of p, of all
// others together; an entry within a component can repeat any number of times. If forever
// is set, it also returns the verdict against p if it starves.
func (g *graph[K]) precedes(p int, follow []uint8, forever bool) (w precedence, starves *Verdict) {
	n := g.c.Nodes
	var row []space.ID
	sub := space.Subgraph[K]{Space: g.Space, In: func(id space.ID) bool { return g.waits(id, p) }, Order: g.order}
	sub.Components(&g.scratch, func(c *space.Component[K]) bool {
		if forever && starves == nil {
			if part := g.fair(c); part != nil {
				v := g.forever(fmt.Sprintf("node %d starves", p), part)
				starves = &v
			}
		}
		var all [mostNodes]uint8
		for _, id := range c.States {
			row = g.Row(id, row[:0])
			for slot, to := range row {
				if to < 0 || !g.waits(to, p) {
					continue
				}
				stays := false
				if g.order == nil {
					_, stays = c.Inside(id, slot)
				}
				enters := g.enters(id, to)
				for q := range n {
					var k uint8
					if !stays {
						k = follow[int(to)*n+q]
					}
					if enters >= 0 && (q == enters || q == p) {
						if k < many {
							k++
						}
						if stays {
							k = many
						}
					}
					all[q] = max(all[q], k)
				}
			}
		}
		for _, id := range c.States {
			copy(follow[int(id)*n:], all[:n])
			for q := range n {
				w.fails = w.fails || q != p && all[q] > 0 && g.phase(id, q) == messaging.Idle
			}
		}
		for q := range n {
			bound := &w.most
			if q == p {
				bound = &w.all
			}
			if all[q] == many {
				*bound = Unbounded
			}
			*bound = most(*bound, int(all[q]))
		}
		return false
	})
	return w, starves
}

// most returns the larger of two bounds.
func most(a, b int) int {
	if a == Unbounded || b == Unbounded || b == many {
		return Unbounded
	}
	return max(a, b)
}

// overtaken returns the verdict, with a shortest history, that another node requests while
// p waits, and enters first. There must be one.
func (g *graph[K]) overtaken(p int) Verdict {
	var best []int
	by := -1
	for q := range g.c.Nodes {
		if q == p {
			continue
		}
		if slots, found := g.overtakes(p, q); found && (by < 0 || len(slots) < len(best)) {
			best, by = slots, q
		}
	}
	path, _ := g.along(g.Root, best)
	return Verdict{true, g.tell(fmt.Sprintf("not FIFO: node %d requests while node %d waits, and enters first", by, p), history.Endless, path, -1)}
}

// overtakes returns the slots of a shortest path on which q requests while p waits, and
// enters first, and whether there is one.
func (g *graph[K]) overtakes(p, q int) (slots []int, found bool) {
	// A node of the search is a state, and whether q has requested while p has waited.
	type node struct {
		id    space.ID
		later bool
	}
	type visit struct {
		from node
		slot int
	}
	later := func(id space.ID) bool { return g.waits(id, p) && g.phase(id, q) == messaging.Idle }
	first := node{g.Root, later(g.Root)}
	came := map[node]visit{first: {}}
	for queue := []node{first}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		for slot := range g.Degree(at.id) {
			to := g.Successor(at.id, slot)
			if to < 0 {
				continue
			}
			then := node{to, at.later && g.waits(to, p) || later(to)}
			if _, known := came[then]; known {
				continue
			}
			came[then] = visit{at, slot}
			queue = append(queue, then)
			if at.later && g.waits(to, p) && g.enters(at.id, to) == q {
				for v := then; v != first; v = came[v].from {
					slots = append(slots, came[v].slot)
				}
				slices.Reverse(slots)
				return slots, true
			}
		}
	}
	return nil, false
}
