package space

import "slices"

// Order returns the states in an order in which each comes after those to which it has
// steps, if there is one: it returns nil if there is a cycle. The successors are kept.
func (g *Graph) Order() []ID {
	if g.graded() {
		order := make([]ID, 0, g.States())
		for level := range g.levels {
			g.AtLevel(level, func(i ID) { order = append(order, i) })
		}
		slices.Reverse(order)
		return order
	}
	type visit struct {
		at   ID
		rest int // the length of row without its successors
	}
	const onPath, done = 1, 2
	var row []ID // the successors of the states on the path that are yet to be visited
	order, marks := make([]ID, 0, g.States()), make([]uint8, g.End())
	for start := range g.End() {
		if !g.Has(start) || marks[start] == done {
			continue
		}
		marks[start] = onPath
		row = g.Row(start, row[:0])
		for path := []visit{{start, 0}}; len(path) > 0; {
			top := &path[len(path)-1]
			if len(row) == top.rest {
				marks[top.at] = done
				order = append(order, top.at)
				path = path[:len(path)-1]
				continue
			}
			to := row[len(row)-1]
			row = row[:len(row)-1]
			switch {
			case to < 0 || marks[to] == done:
			case marks[to] == onPath:
				return nil
			default:
				marks[to] = onPath
				path = append(path, visit{to, len(row)})
				row = g.Row(to, row)
			}
		}
	}
	return order
}

// graded reports whether each step leads one level further from the root.
func (g *Graph) graded() bool {
	return !slices.ContainsFunc(g.parts[:], func(p *part) bool { return p.back })
}
