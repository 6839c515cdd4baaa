package ricartagrawala_test

import (
	"fmt"
	"os"

	"example.org/doorway/messaging/permission/ricartagrawala"
	"example.org/doorway/messaging/sim"
)

// Of three nodes, S1 and S2 ask concurrently. The request of S1 is older, since of
// equal times the smaller number goes first: S1 replies to S2 only on exit. Eight
// messages, 2(N-1) for each entry.
func ExampleNew() {
	_, err := sim.Run(sim.Config{
		Algorithm: ricartagrawala.New,
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
	// 1       S2 sends REPLY(1,S1) to S1
	// 1       S3 gets REQUEST(1,S1) from S1
	// 1       S3 sends REPLY(1,S1) to S1
	// 1       S1 gets REQUEST(1,S2) from S2
	// 1       S3 gets REQUEST(1,S2) from S2
	// 1       S3 sends REPLY(1,S2) to S2
	// 2       S1 gets REPLY(1,S1) from S2
	// 2       S1 gets REPLY(1,S1) from S3
	// 2       S1 enters
	// 2       S2 gets REPLY(1,S2) from S3
	// 3       S1 leaves
	// 3       S1 sends REPLY(1,S2) to S2
	// 4       S2 gets REPLY(1,S2) from S1
	// 4       S2 enters
	// 5       S2 leaves
}

// S1 crashes in the critical section while S2 waits for its grant. S2 repeats its
// request, gets no more answers, and continues without S1.
func ExampleNewAcknowledged() {
	_, err := sim.Run(sim.Config{
		Algorithm: ricartagrawala.NewAcknowledged(3*sim.T, 12*sim.T),
		Nodes:     2,
		Load:      sim.Script{{Node: 0}, {Node: 1, At: sim.T}},
		Stay:      sim.Constant(50 * sim.T),
		Crashes:   []sim.Crash{{Node: 0, At: 10 * sim.T}},
		Observe:   sim.Trace(os.Stdout),
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// 0       S1 asks
	// 0       S1 sends REQUEST(1,S1) to S2
	// 1       S2 asks
	// 1       S2 sends REQUEST(1,S2) to S1
	// 1       S2 gets REQUEST(1,S1) from S1
	// 1       S2 sends GRANT((1,S1),Late:false) to S1
	// 2       S1 gets REQUEST(1,S2) from S2
	// 2       S1 sends DEFERRED(1,S2) to S2
	// 2       S1 gets GRANT((1,S1),Late:false) from S2
	// 2       S1 enters
	// 3       S1 gets TICK from its timer
	// 3       S2 gets DEFERRED(1,S2) from S1
	// 4       S2 gets TICK from its timer
	// 7       S2 gets TICK from its timer
	// 7       S2 sends REQUEST(1,S2) to S1
	// 8       S1 gets REQUEST(1,S2) from S2
	// 8       S1 sends DEFERRED(1,S2) to S2
	// 9       S2 gets DEFERRED(1,S2) from S1
	// 10      S1 crashes
	// 10      S2 gets TICK from its timer
	// 13      S2 gets TICK from its timer
	// 13      S2 sends REQUEST(1,S2) to S1
	// 14      REQUEST(1,S2) from S2 to S1 is lost
	// 16      S2 gets TICK from its timer
	// 16      S2 sends REQUEST(1,S2) to S1
	// 17      REQUEST(1,S2) from S2 to S1 is lost
	// 19      S2 gets TICK from its timer
	// 19      S2 sends REQUEST(1,S2) to S1
	// 20      REQUEST(1,S2) from S2 to S1 is lost
	// 22      S2 gets TICK from its timer
	// 22      S2 enters
	// 22      S2 emits REMOVED(S1)
	// 72      S2 leaves
}
