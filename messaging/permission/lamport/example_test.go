package lamport_test

import (
	"fmt"
	"os"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/lamport"
	"example.org/doorway/messaging/sim"
)

// Two of three nodes ask concurrently. Both requests have the time 1; that of S1
// goes first, since S1 has the smaller number. S2 enters when the release of S1 has
// arrived.
func ExampleNew() {
	_, err := sim.Run(sim.Config{
		Algorithm: lamport.New,
		Nodes:     3,
		Load:      sim.Script{{Node: 0}, {Node: 1}},
		Observe:   sim.Trace(os.Stdout),
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// 0       S1 asks
	// 0       S1 sends REQUEST(1,S1) to S2
	// 0       S1 sends REQUEST(1,S1) to S3
	// 0       S2 asks
	// 0       S2 sends REQUEST(1,S2) to S1
	// 0       S2 sends REQUEST(1,S2) to S3
	// 1       S2 gets REQUEST(1,S1) from S1
	// 1       S2 sends REPLY(2,S2) to S1
	// 1       S3 gets REQUEST(1,S1) from S1
	// 1       S3 sends REPLY(2,S3) to S1
	// 1       S1 gets REQUEST(1,S2) from S2
	// 1       S1 sends REPLY(2,S1) to S2
	// 1       S3 gets REQUEST(1,S2) from S2
	// 1       S3 sends REPLY(3,S3) to S2
	// 2       S1 gets REPLY(2,S2) from S2
	// 2       S1 gets REPLY(2,S3) from S3
	// 2       S1 enters
	// 2       S2 gets REPLY(2,S1) from S1
	// 2       S2 gets REPLY(3,S3) from S3
	// 3       S1 leaves
	// 3       S1 sends RELEASE((1,S1),(5,S1)) to S2
	// 3       S1 sends RELEASE((1,S1),(5,S1)) to S3
	// 4       S2 gets RELEASE((1,S1),(5,S1)) from S1
	// 4       S2 enters
	// 4       S3 gets RELEASE((1,S1),(5,S1)) from S1
	// 5       S2 leaves
	// 5       S2 sends RELEASE((1,S2),(7,S2)) to S1
	// 5       S2 sends RELEASE((1,S2),(7,S2)) to S3
	// 6       S1 gets RELEASE((1,S2),(7,S2)) from S2
	// 6       S3 gets RELEASE((1,S2),(7,S2)) from S2
}

// Requests that cross make replies superfluous: all nodes ask concurrently, which
// saves one reply per pair.
func ExampleNewSuppressed() {
	for nodes := 2; nodes <= 6; nodes++ {
		var all sim.Script
		for i := range nodes {
			all = append(all, sim.Request{Node: messaging.ID(i)})
		}
		plain, err := sim.Run(sim.Config{Algorithm: lamport.New, Nodes: nodes, Load: all})
		if err != nil {
			fmt.Println(err)
		}
		suppressed, err := sim.Run(sim.Config{Algorithm: lamport.NewSuppressed, Nodes: nodes, Load: all})
		if err != nil {
			fmt.Println(err)
		}
		fmt.Printf("%d nodes: %2d messages, %2d with suppressed replies\n", nodes, plain.Messages, suppressed.Messages)
	}
	// Output:
	// 2 nodes:  6 messages,  5 with suppressed replies
	// 3 nodes: 18 messages, 15 with suppressed replies
	// 4 nodes: 36 messages, 30 with suppressed replies
	// 5 nodes: 60 messages, 50 with suppressed replies
	// 6 nodes: 90 messages, 75 with suppressed replies
}
