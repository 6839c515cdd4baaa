package quorum

import (
	"fmt"
	"slices"

	"example.org/doorway/messaging"
)

// Grid returns the sets of a square grid that holds the nodes row by row: each node
// asks its row and its column. With √N×√N nodes, N > 1, each set has 2√N-1 members, each
// node is in as many sets, and any two sets have at least two members in common
// (Reiser 2002, slide 5.14). It returns an error unless 1 <= nodes <= 1<<20.
//
// If nodes is not a square, the last rows are omitted, and the last remaining one may be
// incomplete; sets then differ in size. Any two still intersect: the row of one node
// misses the column of another only where that column has a gap in the last row. But
// then the first node is in the last row, so its own column has no gap and meets the
// row of the other.
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
		for row := range rows {
			if row != i/width {
				set = append(set, messaging.ID(row*width+i%width))
				continue
			}
			for column := range width {
				set = append(set, messaging.ID(row*width+column))
			}
		}
		return slices.DeleteFunc(set, func(j messaging.ID) bool { return int(j) >= nodes }) // in the last row
	})
}

// Majority returns sets of floor(N/2)+1 members, of which any two must intersect: a
// node asks itself and the nodes that follow it, with 0 after the last. All four of
// Maekawa's properties hold, but the sets are large. It returns an error unless
// 1 <= nodes <= 1<<20.
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
