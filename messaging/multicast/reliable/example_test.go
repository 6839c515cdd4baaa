package reliable_test

import (
	"fmt"
	"os"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/link"
	"example.org/doorway/messaging/multicast"
	"example.org/doorway/messaging/multicast/reliable"
	"example.org/doorway/messaging/sim"
)

// S1 crashes when its message has reached S2 only, since the network has lost it on the way to S3. S2 has kept it, and
// delivers it to S3 with the next view. S1 would have repeated it.
func ExampleNew() {
	trace := sim.Trace(os.Stdout)
	_, err := sim.Run(sim.Config{
		Algorithm: reliable.New(0, 0), Nodes: 3,
		Inputs:    []sim.Input{{Node: 0, At: sim.T, Message: multicast.Send{Body: "x"}}},
		Except:    []sim.Exception{{Kind: "DATA", To: []messaging.ID{2}, Lose: true}},
		Crashes:   []sim.Crash{{Node: 0, At: 3 * sim.T / 2}},
		Detection: sim.Constant(2 * sim.T),
		Results:   multicast.Synchronous,
		Observe: func(e messaging.Event) {
			if e.At > 0 {
				trace(e)
			}
		},
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// 1       S1 gets SEND(Body:x) from its user
	// 1       S1 sends DATA(View:1,Number:1,Stable:0,Body:x) to S2
	// 1       S1 sends DATA(View:1,Number:1,Stable:0,Body:x) to S3
	// 1       DATA(View:1,Number:1,Stable:0,Body:x) from S1 to S3 is lost
	// 1       S1 emits SENT(Number:1,Body:x)
	// 1       S1 emits DELIVERED(S1,Number:1,Body:x)
	// 1.5     S1 crashes
	// 2       S2 gets DATA(View:1,Number:1,Stable:0,Body:x) from S1
	// 2       S2 sends ACK(Number:1) to S1
	// 2       S2 emits DELIVERED(S1,Number:1,Body:x)
	// 3       ACK(Number:1) from S2 to S1 is lost
	// 3.5     S2 learns of the crash of S1
	// 3.5     S2 sends FLUSH(View:2) to S3
	// 3.5     S2 emits REMOVED(S1)
	// 3.5     S3 learns of the crash of S1
	// 3.5     S3 emits REMOVED(S1)
	// 4.5     S3 gets FLUSH(View:2) from S2
	// 4.5     S3 sends FLUSHED(View:1,Messages:[]) to S2
	// 5.5     S2 gets FLUSHED(View:1,Messages:[]) from S3
	// 5.5     S2 sends INSTALL(View:{Number:2,Members:[S2 S3]},Before:[S1 S2 S3],Messages:[{S1,Number:1,Body:x}]) to S1
	// 5.5     S2 sends INSTALL(View:{Number:2,Members:[S2 S3]},Before:[S1 S2 S3],Messages:[{S1,Number:1,Body:x}]) to S3
	// 5.5     S2 emits VIEW(Number:2,Members:[S2 S3])
	// 6.5     INSTALL(View:{Number:2,Members:[S2 S3]},Before:[S1 S2 S3],Messages:[{S1,Number:1,Body:x}]) from S2 to S1 is lost
	// 6.5     S3 gets INSTALL(View:{Number:2,Members:[S2 S3]},Before:[S1 S2 S3],Messages:[{S1,Number:1,Body:x}]) from S2
	// 6.5     S3 emits DELIVERED(S1,Number:1,Body:x)
	// 6.5     S3 emits VIEW(Number:2,Members:[S2 S3])
}

// Over a link, three of ten messages may be lost. Node 2 leaves the group, and joins again.
func Example_link() {
	_, err := sim.Run(sim.Config{
		Algorithm: link.Over(reliable.New(100*sim.T, 3), link.Config{Timeout: 4 * sim.T}), Nodes: 3, Loss: 0.3,
		Inputs: []sim.Input{
			{Node: 0, Message: multicast.Send{Body: "to all"}},
			{Node: 2, At: 100 * sim.T, Message: multicast.Leave{}},
			{Node: 0, At: 200 * sim.T, Message: multicast.Send{Body: "to node 1"}},
			{Node: 2, At: 300 * sim.T, Message: multicast.Join{}},
			{Node: 2, At: 400 * sim.T, Message: multicast.Send{Body: "here again"}},
		},
		Results: reliable.Protocol.Results,
		Observe: func(e messaging.Event) {
			switch m := e.Message.(type) {
			case multicast.View:
				fmt.Printf("node %d: view %d is %v\n", e.From, m.Number, m.Members)
			case multicast.Delivered:
				fmt.Printf("node %d: %q of node %d\n", e.From, m.Body, m.From)
			}
		},
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// node 0: view 1 is [0 1 2]
	// node 1: view 1 is [0 1 2]
	// node 2: view 1 is [0 1 2]
	// node 0: "to all" of node 0
	// node 2: "to all" of node 0
	// node 1: "to all" of node 0
	// node 0: view 2 is [0 1]
	// node 1: view 2 is [0 1]
	// node 2: view 2 is [0 1]
	// node 0: "to node 1" of node 0
	// node 1: "to node 1" of node 0
	// node 0: view 3 is [0 1 2]
	// node 1: view 3 is [0 1 2]
	// node 2: view 3 is [0 1 2]
	// node 2: "here again" of node 2
	// node 0: "here again" of node 2
	// node 1: "here again" of node 2
}
