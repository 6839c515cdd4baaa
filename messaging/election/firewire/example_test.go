package firewire_test

import (
	"fmt"
	"os"

	"example.org/doorway/explore"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/election"
	"example.org/doorway/messaging/election/firewire"
	"example.org/doorway/messaging/sim"
	"example.org/doorway/messaging/topology"
)

// reset is the bus reset, which all nodes notice at once.
func reset(n int) (all []sim.Input) {
	for i := range messaging.ID(n) {
		all = append(all, sim.Input{Node: i, Message: election.Hold{}})
	}
	return all
}

// On the line of S1, S2 and S3, the leaves ask S2, which accepts S1 and asks S3. The requests of S2 and
// S3 cross, so both withdraw and wait: S2 for a short time, S3 for a long one. S2 asks again.
func ExampleNew() {
	_, err := sim.Run(sim.Config{
		Algorithm: firewire.New(topology.Line(3), sim.T, 4*sim.T),
		Nodes:     3,
		Inputs:    reset(3),
		Seed:      2,
		Results:   firewire.Protocol.Results,
		Observe:   sim.Trace(os.Stdout),
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// 0       S1 gets HOLD from its user
	// 0       S1 sends BEMYPARENT to S2
	// 0       S2 gets HOLD from its user
	// 0       S3 gets HOLD from its user
	// 0       S3 sends BEMYPARENT to S2
	// 1       S2 gets BEMYPARENT from S1
	// 1       S2 sends YOUAREMYCHILD to S1
	// 1       S2 sends BEMYPARENT to S3
	// 1       S2 gets BEMYPARENT from S3
	// 2       S1 gets YOUAREMYCHILD from S2
	// 2       S1 emits CHILD(S2)
	// 2       S3 gets BEMYPARENT from S2
	// 2       S2 gets AGAIN from its timer
	// 2       S2 sends BEMYPARENT to S3
	// 3       S3 gets BEMYPARENT from S2
	// 3       S3 sends YOUAREMYCHILD to S2
	// 3       S3 emits ROOT
	// 4       S2 gets YOUAREMYCHILD from S3
	// 4       S2 emits CHILD(S3)
	// 6       S3 gets AGAIN from its timer
}

// The same with numbers: S3 is the larger one, and the root.
func ExampleNewByID() {
	r, err := sim.Run(sim.Config{
		Algorithm: firewire.NewByID(topology.Line(3)),
		Nodes:     3,
		Inputs:    reset(3),
		Results:   firewire.ByID.Results,
		Observe: func(e messaging.Event) {
			switch m := e.Message.(type) {
			case firewire.Child:
				fmt.Println("node", e.From, "is a child of node", m.Parent)
			case firewire.Root:
				fmt.Println("node", e.From, "is the root")
			}
		},
	})
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println(r.Kinds["BEMYPARENT"], "requests,", r.Kinds["YOUAREMYCHILD"], "acknowledgements")
	// Output:
	// node 0 is a child of node 1
	// node 2 is the root
	// node 1 is a child of node 2
	// 3 requests, 2 acknowledgements
}

// In every schedule in which timers are slower than messages there is one root in the end. If a
// timer can expire before the request of the other node arrives, contention can go on forever:
// nothing but the times breaks the symmetry, whatever the nodes choose.
func ExampleNew_forever() {
	c := explore.NodesConfig{
		New: firewire.New(topology.Line(2), 1, 2), Nodes: 2,
		Inputs:  [][]messaging.Message{{election.Hold{}}, {election.Hold{}}},
		Results: firewire.OneTree,
	}
	for _, c.AnyTime = range []bool{false, true} {
		r, err := explore.CheckNodes(c)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println("one root:", r.Results.Status, "- comes to rest:", r.Quiescent.Status)
		if h := r.Quiescent.History; h != nil {
			fmt.Print(h)
		}
	}
	// Output:
	// one root: holds - comes to rest: holds
	// one root: holds - comes to rest: fails
	// the schedule does not end
	// S1 gets HOLD from its user
	// S2 gets HOLD from its user
	// and from here on, forever:
	// S1 gets BEMYPARENT from S2
	// S1 draws 0 of 0 to 1
	// S2 gets BEMYPARENT from S1
	// S2 draws 0 of 0 to 1
	// S1 gets AGAIN from its timer
	// S2 gets AGAIN from its timer
}

// Two nodes that are the root are wrong at once; that there is none, at the end.
func ExampleOneTree() {
	two := [][]any{{firewire.Root{}}, {firewire.Root{}}}
	none := [][]any{{firewire.Child{Parent: 1}}, {firewire.Child{Parent: 0}}}
	fmt.Println(firewire.OneTree(messaging.Outcome{Emitted: two}))
	fmt.Println(firewire.OneTree(messaging.Outcome{Emitted: none}))
	fmt.Println(firewire.OneTree(messaging.Outcome{Emitted: none, Over: true}))
	// Output:
	// nodes 0 and 1 are the root
	// <nil>
	// there is no root
}
