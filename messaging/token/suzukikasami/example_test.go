package suzukikasami_test

import (
	"fmt"
	"os"

	"example.org/doorway/messaging/sim"
	"example.org/doorway/messaging/token/suzukikasami"
)

// S1 has the token first, and enters without a message. S3 and S2 ask all others. On exit
// S1 puts both into the queue, in the order of their numbers, and sends the token to the
// first, with the rest of the queue and LN, the numbers of the requests that are over.
func ExampleNew() {
	_, err := sim.Run(sim.Config{
		Algorithm: suzukikasami.New,
		Nodes:     3,
		Load:      sim.Script{{Node: 0, Stay: 2 * sim.T}, {Node: 2}, {Node: 1, At: sim.T / 2}},
		Observe:   sim.Trace(os.Stdout),
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// 0       S1 asks
	// 0       S1 enters
	// 0       S3 asks
	// 0       S3 sends REQUEST(Number:1) to S1
	// 0       S3 sends REQUEST(Number:1) to S2
	// 0.5     S2 asks
	// 0.5     S2 sends REQUEST(Number:1) to S1
	// 0.5     S2 sends REQUEST(Number:1) to S3
	// 1       S1 gets REQUEST(Number:1) from S3
	// 1       S2 gets REQUEST(Number:1) from S3
	// 1.5     S1 gets REQUEST(Number:1) from S2
	// 1.5     S3 gets REQUEST(Number:1) from S2
	// 2       S1 leaves
	// 2       S1 sends TOKEN(LN:[0 0 0],Q:[S3]) to S2
	// 3       S2 gets TOKEN(LN:[0 0 0],Q:[S3]) from S1
	// 3       S2 enters
	// 4       S2 leaves
	// 4       S2 sends TOKEN(LN:[0 1 0],Q:[]) to S3
	// 5       S3 gets TOKEN(LN:[0 1 0],Q:[]) from S2
	// 5       S3 enters
	// 6       S3 leaves
}
