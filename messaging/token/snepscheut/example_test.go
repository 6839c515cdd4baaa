package snepscheut_test

import (
	"fmt"
	"os"

	"example.org/doorway/messaging/sim"
	"example.org/doorway/messaging/token/snepscheut"
	"example.org/doorway/messaging/topology"
)

// Four nodes in a ring, and S1 has the token. The request of S3, which is opposite, goes
// by S2; the token comes back that way, and S3 tells S4 that its links lead to S3 now.
func ExampleNew() {
	_, err := sim.Run(sim.Config{
		Algorithm: snepscheut.New(topology.Graph{{1, 3}, {0, 2}, {1, 3}, {2, 0}}),
		Nodes:     4,
		Load:      sim.Script{{Node: 2}},
		Observe:   sim.Trace(os.Stdout),
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// 0       S3 asks
	// 0       S3 sends REQUEST to S2
	// 1       S2 gets REQUEST from S3
	// 1       S2 sends REQUEST to S1
	// 2       S1 gets REQUEST from S2
	// 2       S1 sends TOKEN(Hop:1) to S2
	// 3       S2 gets TOKEN(Hop:1) from S1
	// 3       S2 sends TOKEN(Hop:2) to S3
	// 4       S3 gets TOKEN(Hop:2) from S2
	// 4       S3 enters
	// 4       S3 sends INVERT(Hop:2) to S4
	// 5       S3 leaves
	// 5       S4 gets INVERT(Hop:2) from S3
}

// With more links a request takes fewer steps, but more nodes must be told where the
// token is.
func Example() {
	for _, g := range []struct {
		name  string
		graph topology.Graph
	}{
		{"line", topology.Line(16)},
		{"binary tree", topology.Tree(16, 2)},
		{"4x4 grid", snepscheut.Graph(16)},
		{"complete graph", topology.Complete(16)},
	} {
		r, err := sim.Run(sim.Config{
			Algorithm: snepscheut.New(g.graph), Nodes: 16, Load: sim.LowLoad{Random: true}, Entries: 2000,
		})
		if err != nil {
			fmt.Println(err)
		}
		fmt.Printf("%-15s %4.1f messages an entry, %4.1f of them to turn links\n", g.name, r.PerEntry, float64(r.Kinds["INVERT"])/2000)
	}
	// Output:
	// line            10.9 messages an entry,  0.0 of them to turn links
	// binary tree      6.9 messages an entry,  0.0 of them to turn links
	// 4x4 grid         7.5 messages an entry,  0.9 of them to turn links
	// complete graph   9.9 messages an entry,  7.1 of them to turn links
}

// Links that lead in one direction only are refused.
func ExampleNew_refused() {
	defer func() { fmt.Println(recover()) }()
	snepscheut.New(topology.Graph{{1}, {2}, {0}})
	// Output:
	// snepscheut: topology: node 0 has a link to node 1, which has none to node 0: links lead in both directions
}
