package echo_test

import (
	"fmt"
	"os"

	"example.org/doorway/internal/node/paths"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
	"example.org/doorway/messaging/token/echo"
	"example.org/doorway/messaging/topology"
)

// S3 asks for the token in a tree, in which S1 is between it and S2, which has the token. The
// wave goes on to S4, behind S2, while the token is on its way already.
func ExampleNewTree() {
	_, err := sim.Run(sim.Config{
		Algorithm: echo.NewTree(topology.Tree(4, 2)),
		Nodes:     4,
		Holder:    1,
		Load:      sim.Script{{Node: 2}},
		Observe:   sim.Trace(os.Stdout),
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// 0       S3 asks
	// 0       S3 sends EXPLORE(S3,Number:1) to S1
	// 1       S1 gets EXPLORE(S3,Number:1) from S3
	// 1       S1 sends EXPLORE(S3,Number:1) to S2
	// 2       S2 gets EXPLORE(S3,Number:1) from S1
	// 2       S2 sends EXPLORE(S3,Number:1) to S4
	// 2       S2 sends TOKEN(S3,LN:[0 0 0 0],Q:[]) to S1
	// 3       S4 gets EXPLORE(S3,Number:1) from S2
	// 3       S1 gets TOKEN(S3,LN:[0 0 0 0],Q:[]) from S2
	// 3       S1 sends TOKEN(S3,LN:[0 0 0 0],Q:[]) to S3
	// 4       S3 gets TOKEN(S3,LN:[0 0 0 0],Q:[]) from S1
	// 4       S3 enters
	// 5       S3 leaves
}

// What does it cost to find a token at the other end? In a network each link takes two
// messages of the wave, in a spanning tree one; the token takes the way back.
func ExampleNew() {
	grid := topology.Grid(3, 3)
	comb := topology.Graph{{1, 3}, {0, 2, 4}, {1, 5}, {0, 6}, {1, 7}, {2, 8}, {3}, {4}, {5}} // a spanning tree of the grid
	for _, c := range []struct {
		name      string
		algorithm messaging.Algorithm
	}{
		{"grid", echo.New(grid)},
		{"its tree", echo.NewTree(comb)},
	} {
		r, err := sim.Run(sim.Config{Algorithm: c.algorithm, Nodes: 9, Load: sim.Script{{Node: 8}}})
		if err != nil {
			panic(err)
		}
		fmt.Printf("%s: %d messages for the wave, %d for the token, which comes after %g T\n",
			c.name, r.Kinds["EXPLORE"]+r.Kinds["ECHO"], r.Kinds["TOKEN"], r.Waiting.Mean)
	}
	// Output:
	// grid: 24 messages for the wave, 4 for the token, which comes after 8 T
	// its tree: 8 messages for the wave, 4 for the token, which comes after 8 T
}

// With more nodes a wave takes more messages, two for each link of the network.
func ExampleGraph() {
	for _, n := range []int{4, 8, 16} {
		g := echo.Graph(n)
		links := 0
		for _, neighbors := range g {
			links += len(neighbors)
		}
		longest, _ := paths.Distances(g)
		fmt.Printf("%d nodes: %d links, at most %d hops from node to node\n", n, links/2, longest)
	}
	// Output:
	// 4 nodes: 5 links, at most 2 hops from node to node
	// 8 nodes: 11 links, at most 4 hops from node to node
	// 16 nodes: 23 links, at most 6 hops from node to node
}
