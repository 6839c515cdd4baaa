package changroberts_test

import (
	"fmt"
	"os"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/election"
	"example.org/doorway/messaging/election/changroberts"
	"example.org/doorway/messaging/sim"
)

// S2 and S3 hold an election on the ring S1, S3, S2. S2 is extinguished at S3, since that is a
// candidate itself.
func ExampleNew() {
	_, err := sim.Run(sim.Config{
		Algorithm: changroberts.New([]messaging.ID{0, 2, 1}),
		Nodes:     3,
		Inputs:    []sim.Input{{Node: 1, Message: election.Hold{}}, {Node: 2, Message: election.Hold{}}},
		Results:   changroberts.Protocol.Results,
		Observe:   sim.Trace(os.Stdout),
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// 0       S2 gets HOLD from its user
	// 0       S2 sends ELECT(S2) to S1
	// 0       S3 gets HOLD from its user
	// 0       S3 sends ELECT(S3) to S2
	// 1       S1 gets ELECT(S2) from S2
	// 1       S1 sends ELECT(S2) to S3
	// 1       S2 gets ELECT(S3) from S3
	// 1       S2 sends ELECT(S3) to S1
	// 2       S3 gets ELECT(S2) from S1
	// 2       S1 gets ELECT(S3) from S2
	// 2       S1 sends ELECT(S3) to S3
	// 3       S3 gets ELECT(S3) from S1
	// 3       S3 sends LEADER(S3) to S2
	// 3       S3 emits ELECTED(S3,Term:0)
	// 4       S2 gets LEADER(S3) from S3
	// 4       S2 sends LEADER(S3) to S1
	// 4       S2 emits ELECTED(S3,Term:0)
	// 5       S1 gets LEADER(S3) from S2
	// 5       S1 sends LEADER(S3) to S3
	// 5       S1 emits ELECTED(S3,Term:0)
	// 6       S3 gets LEADER(S3) from S1
}
