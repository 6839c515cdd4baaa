// Package conflict tells hosts which nodes must not be inside at the same time.
package conflict

import (
	"slices"

	"example.org/doorway/messaging"
)

// A Graph has an edge between any two nodes that must not be inside at the same time;
// see [messaging.Sharer]. The zero Graph is complete.
type Graph struct {
	sharers []messaging.Sharer // by node; nil: it excludes all others
}

// Of returns the graph of n nodes.
func Of(n int, node func(i messaging.ID) messaging.Node) Graph {
	var g Graph
	for i := range messaging.ID(n) {
		if s, ok := messaging.As[messaging.Sharer](node(i)); ok {
			if g.sharers == nil {
				g.sharers = make([]messaging.Sharer, n)
			}
			g.sharers[i] = s
		}
	}
	return g
}

// Complete reports whether no node is a [messaging.Sharer], so that all exclude each other.
func (g Graph) Complete() bool { return g.sharers == nil }

// Excludes reports whether nodes i and j, which differ, must not be inside at the same
// time: one of them says so.
func (g Graph) Excludes(i, j messaging.ID) bool {
	if g.Complete() || g.sharers[i] == nil || g.sharers[j] == nil {
		return true
	}
	return g.sharers[i].Excludes(j) || g.sharers[j].Excludes(i)
}

// Idle reports whether one of the waiting nodes waits for none of those inside: it excludes
// none of them, nor does a waiting node that it excludes, and so on. In a complete graph,
// that is so if one waits and none is inside.
func (g Graph) Idle(waiting, inside []messaging.ID) bool {
	if g.Complete() {
		return len(waiting) > 0 && len(inside) == 0
	}
	rest, held := slices.Clone(waiting), slices.Clone(inside)
	for k := 0; k < len(held); k++ {
		rest = slices.DeleteFunc(rest, func(i messaging.ID) bool {
			waits := g.Excludes(i, held[k])
			if waits {
				held = append(held, i)
			}
			return waits
		})
	}
	return len(rest) > 0
}
