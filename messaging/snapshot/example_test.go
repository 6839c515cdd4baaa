package snapshot_test

import (
	"fmt"
	"os"
	"sync"

	"example.org/doorway/explore"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/cluster"
	"example.org/doorway/messaging/sim"
	"example.org/doorway/messaging/snapshot"
	"example.org/doorway/messaging/token/raymond"
	"example.org/doorway/messaging/token/suzukikasami"
	"example.org/doorway/messaging/topology"
)

// Node 1 asks for the token, and node 2 begins a snapshot. The token is in it once: not at a
// node, but in transit.
func Example() {
	var parts []snapshot.Part
	_, err := sim.Run(sim.Config{
		Algorithm: snapshot.Over(suzukikasami.New, nil), Nodes: 3,
		Load:   sim.Script{{Node: 1}},
		Inputs: []sim.Input{{Node: 2, At: sim.T / 2, Message: snapshot.Take{}}},
		Observe: func(e messaging.Event) {
			if part, ok := e.Message.(snapshot.Part); ok {
				parts = append(parts, part)
			}
		},
	})
	if err != nil {
		fmt.Println(err)
	}
	cut, err := snapshot.Assemble(suzukikasami.New, parts)
	if err != nil {
		fmt.Println(err)
	}
	fmt.Print(cut)
	fmt.Println("invariant:", suzukikasami.Protocol.Invariant(cut.Nodes, cut.Transit))
	// Output:
	// node 0: Phase: idle, RN: [0 1 0], HasToken: false, LN: [], Q: []
	// node 1: Phase: waiting, RN: [0 1 0], HasToken: false, LN: [], Q: []
	// node 2: Phase: idle, RN: [0 0 0], HasToken: false, LN: [], Q: []
	// in transit from 0 to 1: Token{LN: [0 0 0], Q: []}
	// in transit from 1 to 2: Request{Number: 1}
	// invariant: <nil>
}

// What a node has recorded: its state when it got the first Marker, and the messages on each
// channel up to the Marker there. The token was sent before node 1 got its first Marker, and arrives
// before the Marker of node 1.
func ExamplePart() {
	trace := sim.Trace(os.Stdout)
	_, err := sim.Run(sim.Config{
		Algorithm: snapshot.Over(keep, nil), Nodes: 2, Holder: 1,
		Inputs: []sim.Input{{Node: 0, Message: snapshot.Take{}}, {Node: 1, At: sim.T / 2, Message: Pass{To: 0}}},
		Observe: func(e messaging.Event) {
			switch m := e.Message.(type) {
			case snapshot.Began:
				fmt.Println(m.Of, "begins")
			case snapshot.Part:
				fmt.Printf("%v: node %d was %v", m.Of, m.Node, m.State)
				for _, c := range m.Channels {
					fmt.Printf(", and %s was in transit from node %d", messaging.Kind(c.Messages[0]), c.From)
				}
				fmt.Println()
			default:
				trace(e)
			}
		},
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// 0       S1 gets TAKE from its user
	// 0       S1 sends MARKER(Of:{S1,Number:1}) to S2
	// snapshot 1 of node 0 begins
	// 0.5     S2 gets PASS(S1) from its user
	// 0.5     S2 sends TOKEN to S1
	// 1       S2 gets MARKER(Of:{S1,Number:1}) from S1
	// 1       S2 sends MARKER(Of:{S1,Number:1}) to S1
	// snapshot 1 of node 0: node 1 was {HasToken: false}
	// 1.5     S1 gets TOKEN from S2
	// 2       S1 gets MARKER(Of:{S1,Number:1}) from S2
	// snapshot 1 of node 0: node 0 was {HasToken: false}, and TOKEN was in transit from node 1
}

// In a Cluster an observer collects the parts, while goroutines go on to enter and leave.
func ExampleOver() {
	parts := make(chan snapshot.Part, 4)
	c := cluster.New(4, snapshot.Over(suzukikasami.New, nil), cluster.Observe(func(e messaging.Event) {
		if part, ok := e.Message.(snapshot.Part); ok {
			parts <- part
		}
	}))
	defer c.Close()
	var users sync.WaitGroup
	for i := range 4 {
		users.Go(func() {
			for range 200 {
				c.Lock(i)
				c.Unlock(i)
			}
		})
	}
	for range 3 {
		if err := c.Input(0, snapshot.Take{}); err != nil {
			fmt.Println(err)
		}
		cut, err := snapshot.Assemble(suzukikasami.New, []snapshot.Part{<-parts, <-parts, <-parts, <-parts})
		if err != nil {
			fmt.Println(err)
		}
		fmt.Println(cut.Of, "invariant:", suzukikasami.Protocol.Invariant(cut.Nodes, cut.Transit))
	}
	users.Wait()
	// Output:
	// snapshot 1 of node 0 invariant: <nil>
	// snapshot 2 of node 0 invariant: <nil>
	// snapshot 3 of node 0 invariant: <nil>
}

// Two snapshots at the same time, of Raymond's algorithm on a tree, in every schedule of a
// user: the invariant holds in each cut, and all snapshots are completed.
func ExampleOf() {
	p := snapshot.Of(raymond.Protocol, func(n int) topology.Graph { return topology.Tree(n, 2) })
	a, err := p.New(3)
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := explore.CheckNodes(explore.NodesConfig{
		New: a, Nodes: 3, Requests: []int{0, 1, 0},
		Inputs:  [][]messaging.Message{nil, {snapshot.Take{}}, {snapshot.Take{}}},
		Results: p.Results,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Name, "in", r.States, "states:", r.Results.Status)
	// Output:
	// snapshot-raymond in 1211 states: holds
}

// On links that are not FIFO, the token overtakes a Marker, and is both where it was and where it
// is; or a Marker overtakes the token, and it is nowhere.
func ExampleResults() {
	for _, rule := range []messaging.Invariant{atMostOneToken, atLeastOneToken} {
		r, err := explore.CheckNodes(explore.NodesConfig{
			New: snapshot.Over(keep, nil), Nodes: 2, Unordered: true,
			Inputs:  [][]messaging.Message{{Pass{To: 1}}, {snapshot.Take{}}},
			Results: snapshot.Results(keep, rule),
		})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(r.Results.History)
	}
	// Output:
	// the results are wrong: in the cut of snapshot 1 of S2, there are 2 tokens
	// S2 gets TAKE from its user
	// S2 emits BEGAN(Of:{S2,Number:1})
	// S1 gets MARKER(Of:{S2,Number:1}) from S2
	// S1 emits PART(Of:{S2,Number:1},S1,State:{HasToken: true},Channels:[])
	// S1 gets PASS(S2) from its user
	// S2 gets TOKEN from S1
	// S2 gets MARKER(Of:{S2,Number:1}) from S1
	// S2 emits PART(Of:{S2,Number:1},S2,State:{HasToken: false},Channels:[{S1,Messages:[TOKEN]}])
	//
	// the results are wrong: in the cut of snapshot 1 of S2, there is no token
	// S1 gets PASS(S2) from its user
	// S2 gets TAKE from its user
	// S2 emits BEGAN(Of:{S2,Number:1})
	// S1 gets MARKER(Of:{S2,Number:1}) from S2
	// S1 emits PART(Of:{S2,Number:1},S1,State:{HasToken: false},Channels:[])
	// S2 gets MARKER(Of:{S2,Number:1}) from S1
	// S2 emits PART(Of:{S2,Number:1},S2,State:{HasToken: false},Channels:[])
}
