package basic_test

import (
	"fmt"
	"os"

	"example.org/doorway/messaging/multicast"
	"example.org/doorway/messaging/multicast/basic"
	"example.org/doorway/messaging/sim"
)

// The replicated database of A. S. Tanenbaum's textbook: each replica makes its own update first, so S1
// comes to (1000 + 100) · 1.01 = 1111, and S2 to 1000 · 1.01 + 100 = 1110.
func ExampleNew() {
	_, err := sim.Run(sim.Config{
		Algorithm: basic.New, Nodes: 2,
		Inputs: []sim.Input{
			{Node: 0, Message: multicast.Send{Body: "+100"}},
			{Node: 1, Message: multicast.Send{Body: "+1%"}},
		},
		Results: basic.Protocol.Results,
		Observe: sim.Trace(os.Stdout),
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// 0       S1 gets SEND(Body:+100) from its user
	// 0       S1 sends DATA(Number:1,Body:+100) to S2
	// 0       S1 emits SENT(Number:1,Body:+100)
	// 0       S1 emits DELIVERED(S1,Number:1,Body:+100)
	// 0       S2 gets SEND(Body:+1%) from its user
	// 0       S2 sends DATA(Number:1,Body:+1%) to S1
	// 0       S2 emits SENT(Number:1,Body:+1%)
	// 0       S2 emits DELIVERED(S2,Number:1,Body:+1%)
	// 1       S2 gets DATA(Number:1,Body:+100) from S1
	// 1       S2 emits DELIVERED(S1,Number:1,Body:+100)
	// 1       S1 gets DATA(Number:1,Body:+1%) from S2
	// 1       S1 emits DELIVERED(S2,Number:1,Body:+1%)
}
