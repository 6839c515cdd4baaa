package causal_test

import (
	"fmt"
	"os"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/multicast"
	"example.org/doorway/messaging/multicast/causal"
	"example.org/doorway/messaging/sim"
)

// S2 answers the question of S1. To S3 the answer comes first, and waits for the question.
func ExampleNew() {
	_, err := sim.Run(sim.Config{
		Algorithm: causal.New, Nodes: 3,
		Inputs: []sim.Input{
			{Node: 0, Message: multicast.Send{Body: "question"}},
			{Node: 1, At: 2 * sim.T, Message: multicast.Send{Body: "answer"}},
		},
		Except:  []sim.Exception{{From: []messaging.ID{0}, To: []messaging.ID{2}, Latency: sim.Constant(5 * sim.T)}},
		Results: causal.Protocol.Results,
		Observe: sim.Trace(os.Stdout),
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// 0       S1 gets SEND(Body:question) from its user
	// 0       S1 sends DATA(Vector:[1 0 0],Body:question) to S2
	// 0       S1 sends DATA(Vector:[1 0 0],Body:question) to S3
	// 0       S1 emits SENT(Number:1,Body:question)
	// 0       S1 emits DELIVERED(S1,Number:1,Body:question)
	// 1       S2 gets DATA(Vector:[1 0 0],Body:question) from S1
	// 1       S2 emits DELIVERED(S1,Number:1,Body:question)
	// 2       S2 gets SEND(Body:answer) from its user
	// 2       S2 sends DATA(Vector:[1 1 0],Body:answer) to S1
	// 2       S2 sends DATA(Vector:[1 1 0],Body:answer) to S3
	// 2       S2 emits SENT(Number:1,Body:answer)
	// 2       S2 emits DELIVERED(S2,Number:1,Body:answer)
	// 3       S1 gets DATA(Vector:[1 1 0],Body:answer) from S2
	// 3       S1 emits DELIVERED(S2,Number:1,Body:answer)
	// 3       S3 gets DATA(Vector:[1 1 0],Body:answer) from S2
	// 5       S3 gets DATA(Vector:[1 0 0],Body:question) from S1
	// 5       S3 emits DELIVERED(S1,Number:1,Body:question)
	// 5       S3 emits DELIVERED(S2,Number:1,Body:answer)
}
