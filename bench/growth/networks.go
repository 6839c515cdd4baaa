package main

import (
	"fmt"
	"math"
	"math/bits"

	"example.org/doorway/internal/svg"
	"example.org/doorway/messaging/topology"
)

// A network is a graph on which algorithms are measured, with those that run on it.
type network struct {
	graph topology.Graph
	at    []point // where each node is drawn
	name  string
	runs  string
}

// networks have as many nodes as a small picture shows well.
var networks = []network{
	{topology.Complete(8), onACircle(8), "complete", "all others"},
	{topology.Ring(8), onACircle(8), "ring", "tokenring, huntedring"},
	{topology.Tree(15, 2), inATree(15), "binary tree", "raymond, echo-tree"},
	{topology.Grid(3, 4), inRows(3, 4), "grid", "snepscheut"},
	{topology.Random(12, 17, 1), onACircle(12), "random", "echo"},
}

// A point is in a square: 0 <= x, y <= 1, from the left and from the top.
type point struct{ x, y float64 }

// onACircle places nodes clockwise, from the top on.
func onACircle(n int) (at []point) {
	for i := range n {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(n))
		at = append(at, point{0.5 + sin/2, 0.5 - cos/2})
	}
	return at
}

// inATree places the nodes of a complete binary tree, the root at the top.
func inATree(n int) (at []point) {
	for i := range n {
		depth := bits.Len(uint(i+1)) - 1
		wide := float64(int(1) << depth)
		at = append(at, point{(float64(i) + 1.5 - wide) / wide, float64(depth) / float64(bits.Len(uint(n))-1)})
	}
	return at
}

func inRows(rows, columns int) (at []point) {
	for i := range rows * columns {
		at = append(at, point{float64(i%columns) / float64(columns-1), float64(i/columns) / float64(rows-1)})
	}
	return at
}

// drawNetworks draws the networks beside each other.
func drawNetworks() []byte {
	const size, gap, top, radius = 140.0, 36.0, 56.0, 4.0
	var c svg.Canvas
	width := gap + float64(len(networks))*(size+gap)
	c.Open(width, top+size+2*gap, "Networks", "The networks that algorithms with a topology run on.", svg.Dark())
	c.Text(gap-radius, 28, "The networks, with few nodes", fmt.Sprintf(`font-family="%s" font-size="16" font-weight="bold"`, svg.Sans))
	for k, n := range networks {
		left := gap + float64(k)*(size+gap)
		x := func(i int) float64 { return left + size*n.at[i].x }
		y := func(i int) float64 { return top + size*n.at[i].y }
		for i, links := range n.graph {
			for _, j := range links {
				c.Line(x(i), y(i), x(int(j)), y(int(j)), svg.Faint, "")
			}
		}
		for i := range n.graph {
			c.Printf(`<circle cx="%.1f" cy="%.1f" r="%.1f" fill="%s"/>`, x(i), y(i), radius, svg.Ink)
		}
		middle := fmt.Sprintf(`text-anchor="middle" font-family="%s"`, svg.Sans)
		c.Text(left+size/2, top+size+30, n.name, middle+` font-size="14"`)
		c.Text(left+size/2, top+size+48, n.runs, middle+fmt.Sprintf(` fill="%s"`, svg.Faint))
	}
	c.Printf("</svg>")
	return c.Bytes()
}
