package huntedring_test

import (
	"fmt"
	"os"

	"example.org/doorway/messaging/sim"
	"example.org/doorway/messaging/token/huntedring"
)

// S1 has the token, of four nodes. The Hunt of S3 takes two hops to it, and the token four:
// two to S3, and two more past the nodes that hunted it, to where it was.
func ExampleNew() {
	_, err := sim.Run(sim.Config{
		Algorithm: huntedring.New,
		Nodes:     4,
		Load:      sim.Script{{Node: 2}},
		Observe:   sim.Trace(os.Stdout),
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// 0       S3 asks
	// 0       S3 sends HUNT(S3) to S4
	// 1       S4 gets HUNT(S3) from S3
	// 1       S4 sends HUNT(S3) to S1
	// 2       S1 gets HUNT(S3) from S4
	// 2       S1 sends TOKEN(S3) to S2
	// 3       S2 gets TOKEN(S3) from S1
	// 3       S2 sends TOKEN(S3) to S3
	// 4       S3 gets TOKEN(S3) from S2
	// 4       S3 enters
	// 5       S3 leaves
	// 5       S3 sends TOKEN(-) to S4
	// 6       S4 gets TOKEN(-) from S3
	// 6       S4 sends TOKEN(-) to S1
	// 7       S1 gets TOKEN(-) from S4
}
