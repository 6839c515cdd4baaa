package nodes

import (
	"fmt"
	"slices"

	"example.org/doorway/internal/node/history"
	"example.org/doorway/internal/space"
	"example.org/doorway/messaging"
)

// fencing finds whether the tokens of entries grow ([messaging.Token]). It is unknown if none has an epoch: the
// count, which the nodes of a cluster.Cluster share, grows with each entry.
func (g *graph) fencing() space.Verdict {
	if !slices.ContainsFunc(g.cells.nodes, func(n messaging.Node) bool { _, has := messaging.As[messaging.Epocher](n); return has }) {
		return space.Verdict{}
	}
	return g.watch(history.Fencing, func() *space.Monitor {
		var all times // the epochs of the last entries, by node
		now := make([]messaging.Time, g.c.Nodes)
		return &space.Monitor{
			Graph: g.Graph, First: all.number(now),
			Next: func(p space.Past, slot int, to space.ID, f func(memory uint32)) (wrong string) {
				i := g.enters(p.ID, to)
				if i < 0 {
					f(p.Memory)
					return ""
				}
				copy(now, all.of[p.Memory])
				epoch := messaging.Time(g.label(p.ID, slot).epoch)
				for j, before := range now {
					if epoch < before && (i == j || g.excludes.Excludes(messaging.ID(i), messaging.ID(j))) {
						return fmt.Sprintf("%v: %s enters in epoch %d after %s in epoch %d", history.Fencing, named(i), epoch, named(j), before)
					}
				}
				now[i] = epoch
				f(all.number(now))
				return ""
			},
		}
	})
}
