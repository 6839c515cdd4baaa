package heartbeat_test

import (
	"context"
	"fmt"
	"os"
	"time"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/election"
	"example.org/doorway/messaging/election/bully"
	"example.org/doorway/messaging/election/heartbeat"
	"example.org/doorway/messaging/sim"
)

// The leader, S3, crashes at 19, when the others hear of it for the last time. At 26 the fourth
// timer since then expires, more than the timeout later. Both hold an election, which S2 wins.
func ExampleOver() {
	trace := sim.Trace(os.Stdout)
	_, err := sim.Run(sim.Config{
		Algorithm: heartbeat.Over(bully.New(3*sim.T, 6*sim.T), heartbeat.Config{Period: 2 * sim.T, Timeout: 6 * sim.T}),
		Nodes:     3,
		Crashes:   []sim.Crash{{Node: 2, At: 19 * sim.T}},
		Until:     32 * sim.T,
		Results:   election.OneAtATime,
		Observe: func(e messaging.Event) {
			if messaging.Kind(e.Message) != "TICK" && e.Action != "sent" && e.Action != "lost" && e.Action != "started" && e.At >= 17*sim.T {
				trace(e)
			}
		},
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// 17      S1 gets BEAT(Term:2) from S3
	// 17      S2 gets BEAT(Term:2) from S3
	// 19      S3 crashes
	// 19      S1 gets BEAT(Term:2) from S3
	// 19      S2 gets BEAT(Term:2) from S3
	// 27      S2 gets ELECTION(Crash:0,Term:2) from S1
	// 28      S1 gets ANSWER(Crash:0,Term:2) from S2
	// 29      S1 gets TIMEOUT(Coordinator:false) from its timer
	// 29      S2 gets TIMEOUT(Coordinator:false) from its timer
	// 29      S2 emits ELECTED(S2,Term:4)
	// 30      S1 gets COORDINATOR(Term:4,Crash:0) from S2
	// 30      S1 emits ELECTED(S2,Term:4)
	// 31      S1 gets BEAT(Term:4) from S2
}

// In a Group no user has to hold an election.
func ExampleConfig() {
	beats := heartbeat.Config{Period: 10 * time.Millisecond, Timeout: 50 * time.Millisecond}
	g := election.NewGroup(3, heartbeat.Over(bully.New(20*time.Millisecond, 40*time.Millisecond), beats))
	defer g.Close()
	e, err := g.Leader(context.Background(), 0)
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println("node", e.Leader, "leads")
	// Output: node 2 leads
}

// Of gives a protocol heartbeats. It never comes to rest.
func ExampleOf() {
	p := heartbeat.Of(bully.Protocol, heartbeat.Config{Period: time.Second, Timeout: 5 * time.Second})
	fmt.Println(p.Name, p.Perpetual)
	for _, m := range p.Kinds {
		fmt.Print(messaging.Kind(m), " ")
	}
	// Output:
	// heartbeat-bully true
	// HOLD ELECTION ANSWER COORDINATOR TIMEOUT BEAT TICK
}
