package nodes

import (
	"fmt"
	"slices"

	"example.org/doorway/internal/history"
	"example.org/doorway/internal/space"
	"example.org/doorway/messaging"
)

// wrong returns what is wrong in the state of b, in which nothing can happen any more, but
// faults, if over is set; or nil.
func (g *graph[K]) wrong(b *seen[K], over bool) error {
	if err := g.excluded(b); err != nil {
		return err
	}
	if n := len(b.events); n > space.MostSteps {
		return fmt.Errorf("%d events are possible at the same time, as nodes choose among many results: CheckNodes follows %d", n, space.MostSteps)
	}
	if g.c.Invariant != nil {
		if err := g.hold(b); err != nil {
			return err
		}
	}
	if g.c.Results != nil {
		return g.judge(b, over)
	}
	return nil
}

// excluded returns an error if two nodes are inside that exclude each other.
func (g *graph[K]) excluded(b *seen[K]) error {
	for i := range g.c.Nodes {
		if b.cells[i].phase != messaging.Inside {
			continue
		}
		for j := range i {
			if b.cells[j].phase == messaging.Inside && g.excludes.Excludes(messaging.ID(i), messaging.ID(j)) {
				return fmt.Errorf("%w: %d and %d", history.Exclusion, j, i)
			}
		}
	}
	return nil
}

// judge returns an error if what the nodes have emitted is wrong.
func (g *graph[K]) judge(b *seen[K], over bool) error {
	o := messaging.Outcome{Emitted: make([][]any, g.c.Nodes), Over: over}
	for i := range g.c.Nodes {
		if b.cells[i].down {
			o.Down.Add(messaging.ID(i))
		}
		for _, v := range b.cells[i].emitted {
			o.Emitted[i] = append(o.Emitted[i], g.cells.messages[v])
		}
	}
	if err := g.c.Results(o); err != nil {
		return fmt.Errorf("%w: %w", history.Results, err)
	}
	return nil
}

// said is what an invariant says.
func said(err error) string {
	if err == nil {
		return "nothing"
	}
	return err.Error()
}

// hold returns an error if the invariant is violated. It is not held before all nodes have
// started.
func (g *graph[K]) hold(b *seen[K]) error {
	if g.starts && g.fresh(b) >= 0 {
		return nil
	}
	err := g.invariant(b, g.cells.decoded, 0)
	ticked := !slices.ContainsFunc(b.cells, func(c *cell) bool { return !c.down && g.cells.later[c.position] == nil })
	if g.cells.shifts && ticked {
		if later := g.invariant(b, g.cells.later, farLater); (err == nil) != (later == nil) {
			return fmt.Errorf("NodesConfig.Rounds is Unbounded, and Invariant is not as it must be then: %w: with all times later by %d, it says %s, but here, %s", errValue, farLater, said(later), said(err))
		}
	}
	if err != nil {
		return fmt.Errorf("%w: %w", history.Invariant, err)
	}
	return nil
}

// invariant returns what the invariant says of the state of b, with the given nodes by
// position, and messages that are later.
func (g *graph[K]) invariant(b *seen[K], nodes []messaging.Node, by messaging.Time) error {
	b.view.nodes = slices.Grow(b.view.nodes[:0], g.c.Nodes)[:g.c.Nodes]
	clear(b.view.nodes)
	b.view.transit = b.view.transit[:0]
	for i := range g.c.Nodes {
		if c := b.cells[i]; !c.down {
			b.view.nodes[i] = nodes[c.position]
		}
	}
	for to := range g.c.Nodes {
		for from := range g.c.Nodes {
			l := g.cells.link(from, to)
			for _, m := range g.cells.links[l][b.queues[l]].messages {
				if b.view.nodes[to] != nil {
					b.view.transit = append(b.view.transit, messaging.Event{From: messaging.ID(from), To: messaging.ID(to), Message: messageLater(g.cells.messages[m], by)})
				}
			}
		}
	}
	return g.c.Invariant(b.view.nodes, b.view.transit)
}

// A view is what an invariant gets to see of a state.
type view struct {
	nodes   []messaging.Node
	transit []messaging.Event
}
