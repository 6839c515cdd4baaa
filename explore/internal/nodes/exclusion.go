package nodes

import (
	"fmt"

	"example.org/doorway/internal/node/history"
	"example.org/doorway/messaging"
)

// excluded returns an error if two nodes are inside that exclude each other.
func (g *graph) excluded(b *seen) error {
	for i := range g.c.Nodes {
		if b.cells[i].phase != messaging.Inside {
			continue
		}
		for j := range i {
			if b.cells[j].phase == messaging.Inside && g.excludes.Excludes(messaging.ID(i), messaging.ID(j)) {
				return fmt.Errorf("%w: %s and %s", history.Exclusion, named(j), named(i))
			}
		}
	}
	return nil
}
