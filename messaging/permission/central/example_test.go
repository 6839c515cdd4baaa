package central_test

import (
	"fmt"
	"os"

	"example.org/doorway/messaging/permission/central"
	"example.org/doorway/messaging/sim"
)

// S1 is the coordinator. S2 asks and enters. S3 asks and gets no reply until S2 has
// left: six messages for two entries.
func ExampleNew() {
	_, err := sim.Run(sim.Config{
		Algorithm: central.New,
		Nodes:     3,
		Load:      sim.Script{{Node: 1}, {Node: 2, At: 3 * sim.T / 2}},
		Stay:      sim.Constant(3 * sim.T),
		Observe:   sim.Trace(os.Stdout),
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// 0       S2 asks
	// 0       S2 sends REQUEST(1,S2) to S1
	// 1       S1 gets REQUEST(1,S2) from S2
	// 1       S1 sends REPLY(1,S2) to S2
	// 1.5     S3 asks
	// 1.5     S3 sends REQUEST(1,S3) to S1
	// 2       S2 gets REPLY(1,S2) from S1
	// 2       S2 enters
	// 2.5     S1 gets REQUEST(1,S3) from S3
	// 5       S2 leaves
	// 5       S2 sends RELEASE(1,S2) to S1
	// 6       S1 gets RELEASE(1,S2) from S2
	// 6       S1 sends REPLY(1,S3) to S3
	// 7       S3 gets REPLY(1,S3) from S1
	// 7       S3 enters
	// 10      S3 leaves
	// 10      S3 sends RELEASE(1,S3) to S1
	// 11      S1 gets RELEASE(1,S3) from S3
}
