package total_test

import (
	"fmt"
	"os"

	"example.org/doorway/explore"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/multicast"
	"example.org/doorway/messaging/multicast/total"
	"example.org/doorway/messaging/sim"
)

// S1 and S2 update at the same time. The stamp of S1 is older, so all deliver its update first, S2 too.
func ExampleNew() {
	_, err := sim.Run(sim.Config{
		Algorithm: total.New, Nodes: 2,
		Inputs: []sim.Input{
			{Node: 0, Message: multicast.Send{Body: "+100"}},
			{Node: 1, Message: multicast.Send{Body: "+1%"}},
		},
		Results: total.Protocol.Results,
		Observe: sim.Trace(os.Stdout),
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// 0       S1 gets SEND(Body:+100) from its user
	// 0       S1 sends UPDATE((1,S1),Number:1,Body:+100) to S2
	// 0       S1 emits SENT(Number:1,Body:+100)
	// 0       S2 gets SEND(Body:+1%) from its user
	// 0       S2 sends UPDATE((1,S2),Number:1,Body:+1%) to S1
	// 0       S2 emits SENT(Number:1,Body:+1%)
	// 1       S2 gets UPDATE((1,S1),Number:1,Body:+100) from S1
	// 1       S2 sends ACK(Time:2) to S1
	// 1       S2 emits DELIVERED(S1,Number:1,Body:+100)
	// 1       S1 gets UPDATE((1,S2),Number:1,Body:+1%) from S2
	// 1       S1 sends ACK(Time:2) to S2
	// 1       S1 emits DELIVERED(S1,Number:1,Body:+100)
	// 1       S1 emits DELIVERED(S2,Number:1,Body:+1%)
	// 2       S1 gets ACK(Time:2) from S2
	// 2       S2 gets ACK(Time:2) from S1
	// 2       S2 emits DELIVERED(S2,Number:1,Body:+1%)
}

// Links must be FIFO.
func ExampleNew_unordered() {
	r, err := explore.CheckNodes(explore.NodesConfig{
		New: total.New, Nodes: 2, Unordered: true, Results: total.Protocol.Results,
		Inputs: [][]messaging.Message{{multicast.Send{Body: "a"}}, {multicast.Send{Body: "d"}}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(r.Results.History)
	// Output:
	// the results are wrong: S1 delivers message 1 of S1 where S2 delivers message 1 of S2
	// S1 gets SEND(Body:a) from its user
	// S1 emits SENT(Number:1,Body:a)
	// S2 gets SEND(Body:d) from its user
	// S2 emits SENT(Number:1,Body:d)
	// S1 gets UPDATE((1,S2),Number:1,Body:d) from S2
	// S1 emits DELIVERED(S1,Number:1,Body:a)
	// S1 emits DELIVERED(S2,Number:1,Body:d)
	// S2 gets ACK(Time:2) from S1
	// S2 emits DELIVERED(S2,Number:1,Body:d)
}
