package bully_test

import (
	"fmt"
	"os"
	"time"

	"example.org/doorway/explore"
	"example.org/doorway/internal/node/host"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/election"
	"example.org/doorway/messaging/election/bully"
	"example.org/doorway/messaging/sim"
)

// S3 leads, and crashes. When the others are told, S2 leads at once, since no node is left from
// which an answer could come. S1 holds an election, too.
func ExampleNew() {
	_, err := sim.Run(sim.Config{
		Algorithm: bully.New(3*sim.T, 6*sim.T),
		Nodes:     3,
		Inputs:    []sim.Input{{Node: 2, Message: election.Hold{}}},
		Crashes:   []sim.Crash{{Node: 2, At: sim.T / 2}},
		Detection: sim.Constant(sim.T),
		Results:   bully.Protocol.Results,
		Observe:   sim.Trace(os.Stdout),
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// 0       S1 starts
	// 0       S2 starts
	// 0       S3 starts
	// 0       S3 gets HOLD from its user
	// 0       S3 sends COORDINATOR(Term:2,Crash:0) to S1
	// 0       S3 sends COORDINATOR(Term:2,Crash:0) to S2
	// 0       S3 emits ELECTED(S3,Term:2)
	// 0.5     S3 crashes
	// 1       S1 gets COORDINATOR(Term:2,Crash:0) from S3
	// 1       S1 emits ELECTED(S3,Term:2)
	// 1       S2 gets COORDINATOR(Term:2,Crash:0) from S3
	// 1       S2 emits ELECTED(S3,Term:2)
	// 1.5     S1 learns of the crash of S3
	// 1.5     S1 sends ELECTION(Crash:0,Term:2) to S2
	// 1.5     S2 learns of the crash of S3
	// 1.5     S2 sends COORDINATOR(Term:4,Crash:0) to S1
	// 1.5     S2 emits ELECTED(S2,Term:4)
	// 2.5     S2 gets ELECTION(Crash:0,Term:2) from S1
	// 2.5     S2 sends COORDINATOR(Term:4,Crash:0) to S1
	// 2.5     S1 gets COORDINATOR(Term:4,Crash:0) from S2
	// 2.5     S1 emits ELECTED(S2,Term:4)
	// 3.5     S1 gets COORDINATOR(Term:4,Crash:0) from S2
	// 4.5     S1 gets TIMEOUT(Coordinator:false) from its timer
}

// If timers expire at any time, two nodes may lead at the same time: node 0 does not wait for the
// answer of node 1. No run with fewer events shows it. They lead in different terms, and node 0
// will learn of that of node 1.
func ExampleNew_early() {
	r, err := explore.CheckNodes(explore.NodesConfig{
		New: bully.New(time.Second, 3*time.Second), Nodes: 2,
		Inputs:  [][]messaging.Message{{election.Hold{}}, nil},
		AnyTime: true,
		Results: election.OneAtATime,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(r.Results.History)
	// Output:
	// the results are wrong: S1 and S2 lead at the same time
	// S1 starts
	// S2 starts
	// S1 gets HOLD from its user
	// S1 gets TIMEOUT(Coordinator:false) from its timer
	// S1 emits ELECTED(S1,Term:2)
	// S2 gets ELECTION(Crash:0,Term:0) from S1
	// S2 emits ELECTED(S2,Term:1)
}

// A node answers one with a smaller number, and asks those with larger numbers itself.
func ExampleAnswer() {
	site := host.NewSite(bully.New(3*sim.T, 6*sim.T), messaging.Start{Self: 1, Nodes: 4}, nil)
	site.Receive(0, bully.Election{Term: 6})
	for _, s := range site.Sends {
		switch m := s.Message.(type) {
		case bully.Answer:
			fmt.Println("it answers node", s.To)
		case bully.Election:
			fmt.Printf("it asks node %d, and knows term %d\n", s.To, m.Term)
		}
	}
	// Output:
	// it answers node 0
	// it asks node 2, and knows term 6
	// it asks node 3, and knows term 6
}
