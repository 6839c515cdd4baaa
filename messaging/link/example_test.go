package link_test

import (
	"fmt"
	"os"
	"time"

	"example.org/doorway/explore"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/link"
	"example.org/doorway/messaging/permission/central"
	"example.org/doorway/messaging/permission/lamport"
	"example.org/doorway/messaging/permission/ricartagrawala"
	"example.org/doorway/messaging/sim"
)

// Three of ten messages are lost, one of ten arrives twice, and they overtake each other. Alone,
// Ricart and Agrawala's algorithm waits forever for a reply that was lost.
func ExampleOver() {
	lossy := sim.Config{
		Algorithm: ricartagrawala.New, Nodes: 4, Load: sim.HighLoad{}, Entries: 100,
		Loss: 0.3, Duplication: 0.1, Unordered: true, Latency: sim.Exponential(sim.T),
	}
	_, err := sim.Run(lossy)
	fmt.Println("alone:", sim.Failure(err))

	lossy.Algorithm = link.Over(ricartagrawala.New, link.Config{Timeout: 4 * sim.T})
	r, err := sim.Run(lossy)
	fmt.Println("over the link:", r.Entries, "entries,", err)
	// Output:
	// alone: deadlock
	// over the link: 100 entries, <nil>
}

// The first request is lost. It is sent again when it has not been acknowledged for three times
// what a message takes, and a tick. The reply acknowledges it. Nothing follows the reply for
// a tick, so an ACK does.
func Example_lost() {
	trace := sim.Trace(os.Stdout)
	_, err := sim.Run(sim.Config{
		Algorithm: link.Over(central.New, link.Config{Timeout: 3 * sim.T, Tick: sim.T / 2}), Nodes: 2, Load: sim.Script{{Node: 1}},
		Except: []sim.Exception{{Kind: "FRAME", From: []messaging.ID{1}, Ordinal: 1, Lose: true}},
		Observe: func(e messaging.Event) {
			if messaging.Kind(e.Message) != "TICK" {
				trace(e)
			}
		},
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// 0       S1 starts
	// 0       S2 starts
	// 0       S2 asks
	// 0       S2 sends FRAME(Of:1,To:1,Number:1,Seen:0,Message:REQUEST(1,S2)) to S1
	// 0       FRAME(Of:1,To:1,Number:1,Seen:0,Message:REQUEST(1,S2)) from S2 to S1 is lost
	// 3.5     S2 sends FRAME(Of:1,To:1,Number:1,Seen:0,Message:REQUEST(1,S2)) to S1
	// 4.5     S1 gets FRAME(Of:1,To:1,Number:1,Seen:0,Message:REQUEST(1,S2)) from S2
	// 4.5     S1 sends FRAME(Of:1,To:1,Number:1,Seen:1,Message:REPLY(1,S2)) to S2
	// 5.5     S2 gets FRAME(Of:1,To:1,Number:1,Seen:1,Message:REPLY(1,S2)) from S1
	// 5.5     S2 enters
	// 5.5     S2 sends ACK(Of:1,To:1,Seen:1,First:0,Last:0) to S1
	// 6.5     S2 leaves
	// 6.5     S2 sends FRAME(Of:1,To:1,Number:2,Seen:1,Message:RELEASE(1,S2)) to S1
	// 6.5     S1 gets ACK(Of:1,To:1,Seen:1,First:0,Last:0) from S2
	// 7.5     S1 gets FRAME(Of:1,To:1,Number:2,Seen:1,Message:RELEASE(1,S2)) from S2
	// 8       S1 sends ACK(Of:1,To:1,Seen:2,First:0,Last:0) to S2
	// 9       S2 gets ACK(Of:1,To:1,Seen:2,First:0,Last:0) from S1
}

// Lamport's algorithm needs FIFO links. Over the link it does not, and whatever is lost, it is
// right in every schedule.
func ExampleOf() {
	p := link.Of(lamport.Protocol, link.Config{Timeout: sim.T, Tick: sim.T})
	fmt.Println(p.Name, p.FIFO)
	a, err := p.New(2)
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := explore.CheckNodes(explore.NodesConfig{New: a, Nodes: 2, Unordered: true, Losses: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("mutual exclusion", r.MutualExclusion.Status)
	fmt.Println("deadlock-free", r.DeadlockFree.Status)
	// Output:
	// link-lamport false
	// mutual exclusion holds
	// deadlock-free holds
}

// Node 1 is down for a while. What node 0 says meanwhile is kept for it, up to two words, and the
// third is not taken. When node 1 has started again, it is a new incarnation, and says so when
// it gets a frame that is not for that. Then the link is as new, and what was kept is dropped, since the third
// would be missing behind it.
func ExampleFull() {
	config := sim.Config{
		Algorithm: link.Over(talk, link.Config{Timeout: 10 * sim.T, Buffer: 2}), Nodes: 2,
		Crashes: []sim.Crash{{Node: 1, At: sim.T / 2, Restart: 5 * sim.T}},
		Observe: func(e messaging.Event) {
			switch m := e.Message.(type) {
			case link.Full:
				fmt.Println("node", e.From, "takes nothing more for node", m.To)
			case Heard:
				fmt.Println("node", e.From, "hears word", m.Word)
			}
		},
	}
	for k, at := range []time.Duration{1, 2, 3, 30} {
		config.Inputs = append(config.Inputs, sim.Input{At: at * sim.T, Message: Say{k + 1}})
	}
	if _, err := sim.Run(config); err != nil {
		fmt.Println(err)
	}
	// Output:
	// node 0 takes nothing more for node 1
	// node 1 hears word 4
}

// A node that has restarted does not know whether others have, too, and asks before it sends. Node 1 starts while
// node 0 is down, which does not get its HELLO.
func Example_restarted() {
	trace := sim.Trace(os.Stdout)
	_, err := sim.Run(sim.Config{
		Algorithm: link.Over(talk, link.Config{Timeout: 3 * sim.T}), Nodes: 2,
		Crashes: []sim.Crash{{Node: 0, At: sim.T, Restart: 3 * sim.T}, {Node: 1, At: sim.T, Restart: 2 * sim.T}},
		Inputs:  []sim.Input{{At: 4 * sim.T, Message: Say{1}}},
		Observe: func(e messaging.Event) {
			if e.Action == "sent" {
				trace(e)
			}
		},
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// 2       S2 sends HELLO(Of:2) to S1
	// 3       S1 sends HELLO(Of:2) to S2
	// 3       S1 sends HERE(Of:2,To:2,Answers:0,Asks:0) to S2
	// 4       S1 sends FRAME(Of:2,To:2,Number:1,Seen:0,Message:SAY(Word:1)) to S2
	// 4       S2 sends HERE(Of:2,To:2,Answers:0,Asks:0) to S1
	// 5.25    S2 sends ACK(Of:2,To:2,Seen:1,First:0,Last:0) to S1
}
