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
	g := grid{width, (nodes + width - 1) / width, nodes}
	s, err := build(fmt.Sprintf("%d×%d grid", g.rows, width), nodes, func(i int) []messaging.ID {
		return union(g.row(i/width), g.column(i%width))
	})
	s.without = g.without
	return s, err
}

// A grid has its nodes row by row. The last row may be incomplete.
type grid struct{ width, rows, nodes int }

func (g grid) row(r int) (row []messaging.ID) {
	for j := r * g.width; j < min((r+1)*g.width, g.nodes); j++ {
		row = append(row, messaging.ID(j))
	}
	return row
}

func (g grid) column(c int) (column []messaging.ID) {
	for j := c; j < g.nodes; j += g.width {
		column = append(column, messaging.ID(j))
	}
	return column
}

// without returns the first row and the first column without a node that is down, from those
// of node i on. A row and a column of different nodes also meet those of others: if one of
// the two rows is not the last, it is complete, and meets the other's column; otherwise they
// are the same row.
func (g grid) without(i messaging.ID, down messaging.Set) ([]messaging.ID, bool) {
	row := firstUp(int(i)/g.width, g.rows, g.row, down)
	column := firstUp(int(i)%g.width, g.width, g.column, down)
	return union(row, column), row != nil && column != nil
}

// firstUp returns the first of n lines, cyclically from one on, without a node that is down;
// nil if there is none.
func firstUp(from, n int, line func(int) []messaging.ID, down messaging.Set) []messaging.ID {
	for k := range n {
		l := line((from + k) % n)
		if !slices.ContainsFunc(l, down.Has) {
			return l
		}
	}
	return nil
}

// union returns the nodes of both.
func union(a, b []messaging.ID) []messaging.ID {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// Majority returns sets of floor(N/2)+1 members, of which any two must intersect: a
// node asks itself and the nodes that follow it, with 0 after the last. All four of
// Maekawa's properties hold, but the sets are large. It returns an error unless
// 1 <= nodes <= 1<<20.
func Majority(nodes int) (System, error) {
	if err := countable(nodes); err != nil {
		return System{}, err
	}
	up := func(i messaging.ID, down messaging.Set) ([]messaging.ID, bool) { return following(i, nodes, down) }
	s, err := build("majority", nodes, func(i int) []messaging.ID {
		set, _ := up(messaging.ID(i), nil)
		return set
	})
	s.without = up
	return s, err
}

// following returns the first majority of the nodes from i on, with 0 after the last, without
// those that are down.
func following(i messaging.ID, nodes int, down messaging.Set) ([]messaging.ID, bool) {
	set := make([]messaging.ID, 0, nodes/2+1)
	for k := 0; k < nodes && len(set) < cap(set); k++ {
		if j := (i + messaging.ID(k)) % messaging.ID(nodes); !down.Has(j) {
			set = append(set, j)
		}
	}
	return set, len(set) > nodes/2
}
