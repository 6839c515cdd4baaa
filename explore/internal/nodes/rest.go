package nodes

import (
	"example.org/doorway/internal/node/history"
	"example.org/doorway/internal/space"
	"example.org/doorway/messaging"
)

// rest finds whether nodes come to rest when users do nothing but leave. It reports whether there is a run
// without end in which they do, fair or not.
func (g *graph) rest(r *Result) (cyclic bool) {
	r.Quiescent = space.Verdict{Known: !g.c.Perpetual}
	if g.order != nil {
		return false
	}
	sub := space.Subgraph{
		Graph: g.Graph, In: func(space.ID) bool { return true },
		Edge: func(from space.ID, _ int, to space.ID) bool { return !g.asks(from, to) },
	}
	endless := sub.First(&g.scratch, func(c *space.Component) *space.Component {
		if len(c.States) == 1 && !g.loops(c) {
			return nil
		}
		cyclic = true
		return g.fair(c)
	})
	if endless != nil && r.Quiescent.Known {
		r.Quiescent = g.forever(history.Endless.Error(), endless)
	}
	return cyclic
}

// asks reports whether an idle user requests between two states.
func (g *graph) asks(from, to space.ID) bool {
	for i := range g.c.Nodes {
		if g.phase(from, i) == messaging.Idle && g.phase(to, i) != messaging.Idle {
			return true
		}
	}
	return false
}
