package topology_test

import (
	"fmt"

	"example.org/doorway/messaging/topology"
)

func Example() {
	fmt.Println("complete", topology.Complete(3))
	fmt.Println("ring    ", topology.Ring(4))
	fmt.Println("line    ", topology.Line(4))
	fmt.Println("star    ", topology.Star(4))
	fmt.Println("tree    ", topology.Tree(7, 2))
	fmt.Println("grid    ", topology.Grid(2, 2))
	fmt.Println("random  ", topology.Random(4, 4, 1))
	// Output:
	// complete [[1 2] [0 2] [0 1]]
	// ring     [[1] [2] [3] [0]]
	// line     [[1] [0 2] [1 3] [2]]
	// star     [[1 2 3] [0] [0] [0]]
	// tree     [[1 2] [0 3 4] [0 5 6] [1] [1] [2] [2]]
	// grid     [[1 2] [0 3] [0 3] [1 2]]
	// random   [[1 2] [0 2] [0 1 3] [2]]
}

// A graph that is written down is checked.
func ExampleGraph() {
	g := topology.Graph{{1, 2}, {0, 2}, {0, 1, 3}, {2}}
	fmt.Println(g.Check())
	fmt.Println(g.CheckUndirected())
	fmt.Println(g.CheckTree())
	// Output:
	// <nil>
	// <nil>
	// topology: it is not a tree: nodes [1 0 2] form a cycle
}

// Where is the token at first, seen from each node of a tree?
func ExampleGraph_Router() {
	tree := topology.Tree(7, 2)
	routes := tree.Router()(5)
	fmt.Println(routes.To, routes.Next, routes.Distance)
	diameter, mean := tree.Distances()
	fmt.Printf("diameter %d, mean distance %.2f\n", diameter, mean)
	// Output:
	// 5 [2 0 5 1 1 5 2] [2 3 1 4 4 0 2]
	// diameter 4, mean distance 2.29
}

// Each link of a tree as a line of an SVG picture.
func ExampleGraph_Layout() {
	tree := topology.Tree(3, 2)
	at := tree.Layout()
	for i, links := range tree {
		for _, j := range links {
			if i < int(j) {
				fmt.Printf("<line x1='%.0f%%' y1='%.0f%%' x2='%.0f%%' y2='%.0f%%'/>\n", 100*at[i].X, 100*at[i].Y, 100*at[j].X, 100*at[j].Y)
			}
		}
	}
	// Output:
	// <line x1='50%' y1='0%' x2='25%' y2='100%'/>
	// <line x1='50%' y1='0%' x2='75%' y2='100%'/>
}
