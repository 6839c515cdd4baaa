package sim_test

import (
	"fmt"
	"strings"

	"example.org/doorway/catalog"
	"example.org/doorway/messaging/permission/ricartagrawala"
	"example.org/doorway/messaging/sim"
)

// The caller decides what happens: S1 and S2 ask at the same time, and the request of
// S1, which is to enter first, is delayed.
func ExampleStart() {
	run, err := sim.Start(sim.Config{Algorithm: ricartagrawala.New, Nodes: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(run.Do("a0.a1")) // nodes 0 and 1 ask
	for _, p := range run.Pending() {
		fmt.Printf("%d: %T from %d to %d, sent at %d T, due at %d T\n", p.Number, p.Message, p.From, p.To, p.Sent/sim.T, p.Due/sim.T)
	}
	fmt.Println(run.Do("w1+5")) // the first message takes 5 T longer
	for run.Next() {
	}
	fmt.Printf("at %d T node 0 is %v, and node 1 %v\n", run.Report().Time/sim.T, run.Node(0).Phase, run.Node(1).Phase)
	fmt.Println(run.Do("l0")) // until it is told to, a node does not leave
	for run.Next() {
	}
	fmt.Printf("at %d T node 0 is %v, and node 1 %v\n", run.Report().Time/sim.T, run.Node(0).Phase, run.Node(1).Phase)
	fmt.Println(run.Report().Entries, "entries, error:", run.Err())
	// Output:
	// <nil>
	// 1: ricartagrawala.Request from 0 to 1, sent at 0 T, due at 1 T
	// 2: ricartagrawala.Request from 1 to 0, sent at 0 T, due at 1 T
	// <nil>
	// at 7 T node 0 is inside, and node 1 waiting
	// <nil>
	// at 8 T node 0 is idle, and node 1 inside
	// 2 entries, error: <nil>
}

// A choice that cannot be made is refused, and the run goes on.
func ExampleSimulation_Do() {
	run, err := sim.Start(sim.Config{Algorithm: ricartagrawala.New, Nodes: 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(run.Do("a0.a2.d1.l0")) // 0 and 2 ask, and the message 1 arrives
	fmt.Println(run.Do("x2.d2"))       // the message 2 is lost
	fmt.Println(run.Do("d4.a9"))
	fmt.Println(len(run.Events()), "events, error:", run.Err())
	// Output:
	// sim: choice 4, "l0" at offset 9: S1 is waiting; no node can leave now
	// sim: choice 2, "d2" at offset 3: 2 is not pending; what can happen now is 3, 4, 5
	// sim: choice 2, "a9" at offset 3: expected a node, 0 to 2
	// 11 events, error: <nil>
}

// What a node knows, in the words of its paper; and a step back.
func ExampleSimulation_Node() {
	run, err := sim.Start(sim.Config{Algorithm: ricartagrawala.New, Nodes: 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(run.Do("a0.a1.s2"))
	show := func(n sim.NodeState) {
		fmt.Println(n.Phase)
		for _, f := range n.Fields {
			fmt.Println("  ", f.Name, f.Value)
		}
	}
	show(run.Node(1))
	fmt.Println(run.Undo(3), len(run.Events()))
	show(run.Node(1))
	// Output:
	// <nil>
	// waiting
	//    Phase waiting
	//    Highest 1
	//    Mine (1, S2)
	//    Replies 0
	//    Deferred [0 0 0]
	// <nil> 3
	// idle
	//    Phase idle
	//    Highest 0
	//    Mine none
	//    Replies 0
	//    Deferred [0 0 0]
}

// A run as a line of text, a scenario with which it is repeated, say in a test. A good prefix of
// it survives a bad rest.
func ExampleSimulation_MarshalText() {
	run, err := sim.Start(sim.Config{Algorithm: ricartagrawala.New, Nodes: 3, Seed: 7})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(run.Do("a0.a2.s3.x5"))
	text, err := run.MarshalText()
	fmt.Println(string(text), err)

	scenario, err := sim.ReadScenario("my run", strings.NewReader(string(text)+".x9"))
	if err != nil {
		fmt.Println(err)
		return
	}
	run, err = scenario.Start(catalog.Scenario)
	fmt.Println(err)
	fmt.Println("node 2 is", run.Node(2).Phase, "after", len(run.Events()), "events")
	// Output:
	// <nil>
	// version 1; nodes 3; algorithm ricartagrawala; seed 7; rules ee90c9e7; run a0.a2.s3.x5 <nil>
	// my run:1: choice 5, "x9" at offset 12: 9 is not pending; what can happen now is 4, 6
	// node 2 is waiting after 12 events
}
