// Package network draws graphs of nodes, so that a reader recognizes a tree, a ring or a grid.
package network

import (
	"math"
	"slices"

	"example.org/doorway/internal/draw/svg"
	"example.org/doorway/internal/node/paths"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/topology"
)

// Draw draws g in a square of that size. The name of a node, if it has one, is in its circle.
func Draw(c *svg.Canvas, g topology.Graph, left, top, size, radius float64, name func(messaging.ID) string) {
	at := Layout(g)
	x := func(i messaging.ID) float64 { return left + float64(size*at[i].X) }
	y := func(i messaging.ID) float64 { return top + float64(size*at[i].Y) }
	for i, links := range g {
		for _, j := range links {
			if int(j) < i && slices.Contains(g[j], messaging.ID(i)) {
				continue // it is drawn
			}
			c.Line(x(messaging.ID(i)), y(messaging.ID(i)), x(j), y(j), svg.Faint, "")
		}
	}
	fill := svg.Ink
	if name != nil {
		fill = svg.Paper
	}
	for i := range messaging.ID(len(g)) {
		c.Printf(`<circle cx="%.1f" cy="%.1f" r="%.1f" fill="%s" stroke="%s"/>`, x(i), y(i), radius, fill, svg.Ink)
		if name != nil {
			c.Text(x(i), y(i)+3, name(i), `text-anchor="middle" font-size="9"`)
		}
	}
}

// Layout returns where to draw each node, so that the graph is recognized: a tree with node
// 0 at the top, above its children, a line from left to right, a star around node 0, a grid
// in rows and columns, and any other graph on a circle, clockwise: 0 <= X, Y <= 1, from the left
// and from the top. The graph must be as paths.Check demands.
func Layout(g topology.Graph) []Point {
	switch columns := columns(g); {
	case len(g) == 1:
		return []Point{{0.5, 0.5}}
	case columns > 0:
		at := make([]Point, len(g))
		for i := range at {
			at[i] = Point{part(i%columns, columns), part(i/columns, len(g)/columns)}
		}
		return at
	case len(g) > 3 && len(g[0]) == len(g)-1 && paths.CheckTree(g) == nil:
		return append([]Point{{0.5, 0.5}}, onACircle(len(g)-1)...)
	case paths.CheckTree(g) == nil:
		return asTree(g)
	}
	return onACircle(len(g))
}

// A Point is a place in a square of size 1.
type Point struct{ X, Y float64 }

// columns returns how many columns g has, if it is a grid, of which a line is one; otherwise 0.
func columns(g topology.Graph) int {
	for columns := len(g); columns > 1; columns-- {
		if len(g)%columns == 0 && slices.EqualFunc(g, topology.Grid(len(g)/columns, columns), slices.Equal) {
			return columns
		}
	}
	return 0
}

// part returns the place of k among n on a line.
func part(k, n int) float64 {
	if n == 1 {
		return 0.5
	}
	return float64(k) / float64(n-1)
}

func onACircle(n int) []Point {
	at := make([]Point, n)
	for i := range at {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(n))
		at[i] = Point{0.5 + sin/2, 0.5 - cos/2}
	}
	return at
}

// asTree places leaves beside each other, and every other node in the middle of its children.
func asTree(g topology.Graph) []Point {
	to, at := paths.Router(g)(0), make([]Point, len(g))
	depth, leaves := slices.Max(to.Distance), 0
	var place func(i messaging.ID)
	place = func(i messaging.ID) {
		at[i].Y = part(to.Distance[i], depth+1)
		first, last, children := 0.0, 0.0, 0
		for _, j := range g[i] {
			if j == to.Next[i] {
				continue
			}
			place(j)
			if last = at[j].X; children == 0 {
				first = last
			}
			children++
		}
		if at[i].X = (first + last) / 2; children == 0 {
			at[i].X = float64(leaves)
			leaves++
		}
	}
	place(0)
	for i := range at {
		at[i].X = (at[i].X + 0.5) / float64(leaves)
	}
	return at
}
