package topology_test

import (
	"fmt"

	"example.org/doorway/messaging/token/raymond"
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

// A graph may be written down. One that is wrong for an algorithm is refused.
func ExampleGraph() {
	defer func() { fmt.Println(recover()) }()
	raymond.New(topology.Graph{{1}, {0, 2}, {1}})
	raymond.New(topology.Graph{{1}, {0}, {0}})
	// Output: raymond: topology: no path leads from node 0 to node 2
}
