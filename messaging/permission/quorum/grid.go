package quorum

import (
	"fmt"

	"example.org/doorway/messaging"
)

// Grid returns the sets of a square grid, in which the nodes stand row by row:
// each asks its own row and its own column. Of √N×√N nodes, N > 1, each has 2√N-1
// members and is in as many sets, and any two sets have at least two members in
// common (Reiser 2002, slide 5.14). It returns an error if nodes < 1.
//
// For a number that is no square the last rows are left out, and the last that is
// left may be incomplete; sets then differ in size. Any two still meet: the row of
// one node misses the column of another only where that column has a gap in the
// last row. But then the one stands in the last row itself, so that its own column
// has no gap, and meets the row of the other.
func Grid(nodes int) (System, error) {
	if err := countable(nodes); err != nil {
		return System{}, err
	}
	width := 1
	for width*width < nodes {
		width++
	}
	rows := (nodes + width - 1) / width
	return build(fmt.Sprintf("%d×%d grid", rows, width), nodes, func(i int) []messaging.ID {
		var set []messaging.ID
		for j := range nodes {
			if j/width == i/width || j%width == i%width {
				set = append(set, messaging.ID(j))
			}
		}
		return set
	})
}

// Majority returns sets of floor(N/2)+1 members, any two of which have one in
// common because there are not nodes enough for two apart: a node asks itself and
// those that follow it, 0 behind the last. All four of Maekawa's properties hold,
// but the sets are large. It returns an error if nodes < 1.
func Majority(nodes int) (System, error) {
	if err := countable(nodes); err != nil {
		return System{}, err
	}
	return build("majority", nodes, func(i int) []messaging.ID {
		set := make([]messaging.ID, nodes/2+1)
		for k := range set {
			set[k] = messaging.ID((i + k) % nodes)
		}
		return set
	})
}
