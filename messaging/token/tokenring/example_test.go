package tokenring_test

import (
	"fmt"
	"os"

	"example.org/doorway/messaging/sim"
	"example.org/doorway/messaging/token/tokenring"
)

// The token pauses at S1 for 10 T, then goes round. S3 enters when it comes by.
func ExampleNew() {
	_, err := sim.Run(sim.Config{
		Algorithm: tokenring.New(10 * sim.T),
		Perpetual: true,
		Nodes:     3,
		Load:      sim.Script{{Node: 2, At: 2 * sim.T}},
		Until:     16 * sim.T,
		Observe:   sim.Trace(os.Stdout),
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// 0       S1 starts
	// 0       S2 starts
	// 0       S3 starts
	// 2       S3 asks
	// 10      S1 gets RESUME from its timer
	// 10      S1 sends TOKEN(Hops:1) to S2
	// 11      S2 gets TOKEN(Hops:1) from S1
	// 11      S2 sends TOKEN(Hops:2) to S3
	// 12      S3 gets TOKEN(Hops:2) from S2
	// 12      S3 enters
	// 13      S3 leaves
	// 13      S3 sends TOKEN(Hops:1) to S1
}
