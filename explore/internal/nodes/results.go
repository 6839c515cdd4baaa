package nodes

import (
	"slices"

	"example.org/doorway/internal/node/history"
	"example.org/doorway/messaging"
)

// judge returns an error if what the nodes have emitted is wrong, but not before all have started or one has
// emitted something. It is over if nothing can happen but faults and requests, since no user has to request
// again, and no timer runs. A run does not know that when the last value is emitted: then it is asked both ways.
func (g *graph) judge(b *seen) error {
	o := messaging.Outcome{Emitted: make([][]any, g.c.Nodes)}
	o.Over = !g.c.Perpetual && !slices.ContainsFunc(b.events, func(l label) bool { return !l.fault() && l.what != asks })
	for i := range g.c.Nodes {
		o.Over = o.Over && b.cells[i].due() == never
		if b.cells[i].down {
			o.Down.Add(messaging.ID(i))
		}
		for _, v := range b.cells[i].emitted {
			o.Emitted[i] = append(o.Emitted[i], g.cells.messages[v])
		}
	}
	if g.fresh(b) >= 0 && !slices.ContainsFunc(o.Emitted, func(all []any) bool { return len(all) > 0 }) {
		return nil
	}
	over := o.Over
	o.Over = false
	err := ask("Results", history.Results, func() error { return g.c.Results(o) })
	if o.Over = over; err == nil && over {
		err = ask("Results", history.Results, func() error { return g.c.Results(o) })
	}
	return err
}
