package raymond_test

import (
	"fmt"
	"os"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
	"example.org/doorway/messaging/token/raymond"
	"example.org/doorway/messaging/topology"
)

// The tree is S1 with S2 and S3 below it, and S4 below S2. S4 gets the token from S1: two
// edges, four messages. Then it is one edge from S2: two messages.
func ExampleNew() {
	tree := topology.Graph{{1, 2}, {0, 3}, {0}, {1}}
	_, err := sim.Run(sim.Config{
		Algorithm: raymond.New(tree),
		Nodes:     len(tree),
		Load:      sim.Script{{Node: 3}, {Node: 1, At: 6 * sim.T}},
		Observe:   sim.Trace(os.Stdout),
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// 0       S4 asks
	// 0       S4 sends REQUEST to S2
	// 1       S2 gets REQUEST from S4
	// 1       S2 sends REQUEST to S1
	// 2       S1 gets REQUEST from S2
	// 2       S1 sends TOKEN to S2
	// 3       S2 gets TOKEN from S1
	// 3       S2 sends TOKEN to S4
	// 4       S4 gets TOKEN from S2
	// 4       S4 enters
	// 5       S4 leaves
	// 6       S2 asks
	// 6       S2 sends REQUEST to S4
	// 7       S4 gets REQUEST from S2
	// 7       S4 sends TOKEN to S2
	// 8       S2 gets TOKEN from S4
	// 8       S2 enters
	// 9       S2 leaves
}

// The forms of the algorithm that hosts know by name, on a balanced binary tree. They differ
// in the order in which a node serves those who wait, or in the messages.
func ExampleProtocol() {
	for _, p := range []messaging.Protocol{raymond.Protocol, raymond.Greedy, raymond.Lift, raymond.Merged} {
		a, err := p.New(7)
		if err != nil {
			fmt.Println(err)
			continue
		}
		r, err := sim.Run(sim.Config{Algorithm: a, Nodes: 7, Load: sim.HighLoad{}, Entries: 700})
		fmt.Printf("%-14s %.2f messages per entry, %.0f to %.0f %% of the entries each\n", p.Name, r.PerEntry, 100*r.LeastShare, 100*r.MostShare)
		if err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// raymond        3.42 messages per entry, 14 to 14 % of the entries each
	// raymond-greedy 2.01 messages per entry, 8 to 25 % of the entries each
	// raymond-lift   2.01 messages per entry, 8 to 25 % of the entries each
	// raymond-merged 2.29 messages per entry, 14 to 14 % of the entries each
}

// Nodes on the way of the token enter first: on a line, as a lift stops at each floor on its
// way up and down, so that the ends have half as many entries.
func ExampleNewLift() {
	const n = 5
	for _, a := range []messaging.Algorithm{
		raymond.New(topology.Line(n)), raymond.NewGreedy(topology.Line(n), 3), raymond.NewLift(topology.Line(n), 3),
	} {
		r, err := sim.Run(sim.Config{Algorithm: a, Nodes: n, Load: sim.HighLoad{}, Entries: 400})
		fmt.Println(r.EntriesOf, r.Messages, err)
	}
	// Output:
	// [80 80 80 80 80] 1272 <nil>
	// [51 100 100 99 50] 800 <nil>
	// [51 100 100 99 50] 800 <nil>
}

// The token says that it must come back, and saves the middle of the star a request.
func ExampleNewMerged() {
	_, err := sim.Run(sim.Config{
		Algorithm: raymond.NewMerged(topology.Star(3)),
		Nodes:     3,
		Load:      sim.Script{{Node: 0, Stay: 2 * sim.T}, {Node: 1}, {Node: 2}},
		Observe:   sim.Trace(os.Stdout),
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// 0       S1 asks
	// 0       S1 enters
	// 0       S2 asks
	// 0       S2 sends REQUEST to S1
	// 0       S3 asks
	// 0       S3 sends REQUEST to S1
	// 1       S1 gets REQUEST from S2
	// 1       S1 gets REQUEST from S3
	// 2       S1 leaves
	// 2       S1 sends PRIVILEGE(RequestBack:true) to S2
	// 3       S2 gets PRIVILEGE(RequestBack:true) from S1
	// 3       S2 enters
	// 4       S2 leaves
	// 4       S2 sends PRIVILEGE(RequestBack:false) to S1
	// 5       S1 gets PRIVILEGE(RequestBack:false) from S2
	// 5       S1 sends PRIVILEGE(RequestBack:false) to S3
	// 6       S3 gets PRIVILEGE(RequestBack:false) from S1
	// 6       S3 enters
	// 7       S3 leaves
}
