package ring_test

import (
	"fmt"
	"os"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/election"
	"example.org/doorway/messaging/election/ring"
	"example.org/doorway/messaging/sim"
)

// The example of the slides of HAW Hamburg, "Ring-Algorithmus: Beispiel": node 4 holds an election,
// and the list grows from [4] to [2 4] and [1 2 4]. What else is on its ring is illegible; here
// that is node 3, between 1 and 4, and node 0 behind it, which has crashed and is skipped.
func ExampleNew() {
	r, err := sim.Run(sim.Config{
		Algorithm: ring.New([]messaging.ID{4, 2, 1, 3, 0}), Nodes: 5,
		Crashes:   []sim.Crash{{Node: 0}},
		Detection: sim.Constant(0),
		Inputs:    []sim.Input{{Node: 4, At: sim.T, Message: election.Hold{}}},
		Results:   ring.Protocol.Results,
		Observe: func(e messaging.Event) {
			if e.Action != "delivered" {
				return
			}
			switch m := e.Message.(type) {
			case ring.Election:
				fmt.Println("node", e.To, "gets", m.Members)
			case ring.Coordinator:
				fmt.Println("node", e.To, "learns that node", m.Leader, "leads in term", m.Term)
			}
		},
	})
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println(r.Messages, "messages")
	// Output:
	// node 2 gets [4]
	// node 1 gets [2 4]
	// node 3 gets [1 2 4]
	// node 4 gets [3 1 2 4]
	// node 2 learns that node 4 leads in term 4
	// node 1 learns that node 4 leads in term 4
	// node 3 learns that node 4 leads in term 4
	// node 4 learns that node 4 leads in term 4
	// 8 messages
}

// Each node sends a Probe around: 9 messages.
func ExampleNewNaive() {
	r, err := sim.Run(sim.Config{
		Algorithm: ring.NewNaive(nil), Nodes: 3,
		Inputs:  []sim.Input{{Node: 1, Message: election.Hold{}}},
		Results: ring.Naive.Results,
		Observe: sim.Trace(os.Stdout),
	})
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println(r.Messages, "messages")
	// Output:
	// 0       S2 gets HOLD from its user
	// 0       S2 sends PROBE(S2,S2) to S3
	// 1       S3 gets PROBE(S2,S2) from S2
	// 1       S3 sends PROBE(S3,S3) to S1
	// 1       S3 sends PROBE(S2,S3) to S1
	// 2       S1 gets PROBE(S3,S3) from S3
	// 2       S1 sends PROBE(S1,S1) to S2
	// 2       S1 sends PROBE(S3,S3) to S2
	// 2       S1 gets PROBE(S2,S3) from S3
	// 2       S1 sends PROBE(S2,S3) to S2
	// 3       S2 gets PROBE(S1,S1) from S1
	// 3       S2 sends PROBE(S1,S2) to S3
	// 3       S2 gets PROBE(S3,S3) from S1
	// 3       S2 sends PROBE(S3,S3) to S3
	// 3       S2 gets PROBE(S2,S3) from S1
	// 3       S2 emits ELECTED(S3,Term:0)
	// 4       S3 gets PROBE(S1,S2) from S2
	// 4       S3 sends PROBE(S1,S3) to S1
	// 4       S3 gets PROBE(S3,S3) from S2
	// 4       S3 emits ELECTED(S3,Term:0)
	// 5       S1 gets PROBE(S1,S3) from S3
	// 5       S1 emits ELECTED(S3,Term:0)
	// 9 messages
}
