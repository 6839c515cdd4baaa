package main

import (
	"fmt"

	"example.org/doorway/internal/draw/network"
	"example.org/doorway/internal/draw/svg"
	"example.org/doorway/messaging/topology"
)

// A measuredOn is a graph on which algorithms are measured, with those that run on it.
type measuredOn struct {
	graph topology.Graph
	name  string
	runs  string
}

// networks have as many nodes as a small picture shows well.
var networks = []measuredOn{
	{topology.Complete(8), "complete", "all others"},
	{topology.Ring(8), "ring", "tokenring, huntedring"},
	{topology.Tree(15, 2), "binary tree", "raymond, echo-tree"},
	{topology.Grid(3, 4), "grid", "snepscheut"},
	{topology.Random(12, 17, 1), "random", "echo"},
}

// drawNetworks draws the networks beside each other.
func drawNetworks() []byte {
	const size, gap, top, radius = 132.0, 36.0, 56.0, 4.0
	var c svg.Canvas
	width := gap + float64(len(networks))*(size+gap)
	c.Open(width, top+size+2*gap, "Networks", "The networks that algorithms with a topology run on.", svg.Dark())
	c.Text(gap-radius, 28, "The networks, with few nodes", fmt.Sprintf(`font-family="%s" font-size="16" font-weight="bold"`, svg.Sans))
	for k, n := range networks {
		left := gap + float64(k)*(size+gap)
		network.Draw(&c, n.graph, left, top, size, radius, nil)
		middle := fmt.Sprintf(`text-anchor="middle" font-family="%s"`, svg.Sans)
		c.Text(left+size/2, top+size+30, n.name, middle+` font-size="14"`)
		c.Text(left+size/2, top+size+48, n.runs, middle+fmt.Sprintf(` fill="%s"`, svg.Faint))
	}
	c.Printf("</svg>")
	return c.Bytes()
}
