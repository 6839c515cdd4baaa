package nodetest_test

import (
	"fmt"
	"strings"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/nodetest"
	"example.org/doorway/messaging/permission/ricartagrawala"
	"example.org/doorway/messaging/sim"
)

// An eager node enters when one of the others has agreed.
type eager struct {
	start messaging.Start

	Waits bool
}

type (
	mayI   struct{}
	youMay struct{}
)

func (n *eager) Request(out messaging.Out) {
	n.Waits = true
	for j := range n.start.Others() {
		out.Send(j, mayI{})
	}
}

func (n *eager) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	switch m.(type) {
	case mayI:
		out.Send(from, youMay{})
	case youMay:
		if n.Waits {
			n.Waits = false
			out.Enter()
		}
	}
}

func (n *eager) Release(messaging.Out) {}

func newEager(start messaging.Start) messaging.Node { return &eager{start: start} }

// Two eager nodes permit each other to enter; the error lists the events.
func ExampleRun() {
	fmt.Println(nodetest.Run(ricartagrawala.New, nodetest.Config{Nodes: 2, Seed: 1}))
	fmt.Println(nodetest.Run(newEager, nodetest.Config{Nodes: 2, Seed: 1, Name: "eager"}))
	// Output:
	// <nil>
	// seed 1: two nodes are inside: S1 and S2
	// S2 asks
	// S1 gets MAYI from S2
	// S1 asks
	// S2 gets YOUMAY from S1
	// S2 enters
	// S2 gets MAYI from S1
	// S1 gets YOUMAY from S2
	// S1 enters
	// scenario: version 1; nodes 2; algorithm eager; rules 0ed4710f; run a1.d1.a0.d2.d3.d4
}

// An invariant is violated before two nodes are inside: here, as soon as both have the
// permission that they wait for.
func ExampleRun_invariant() {
	var invariant messaging.Invariant = func(nodes []messaging.Node, transit []messaging.Event) error {
		var permitted []messaging.ID
		for _, e := range transit {
			if n := nodes[e.To].(*eager); n.Waits && e.Message == (youMay{}) {
				permitted = append(permitted, e.To)
			}
		}
		if len(permitted) > 1 {
			return fmt.Errorf("nodes %v are permitted to enter", permitted)
		}
		return nil
	}
	fmt.Println(nodetest.Run(newEager, nodetest.Config{Nodes: 2, Users: []int{1}, Invariant: invariant}))
	fmt.Println(nodetest.Run(newEager, nodetest.Config{Nodes: 2, Seed: 3, Invariant: invariant, Name: "eager"}))
	// Output:
	// <nil>
	// seed 3: the invariant is violated: nodes [0 1] are permitted to enter
	// S2 asks
	// S1 asks
	// S2 gets MAYI from S1
	// S1 gets MAYI from S2
	// scenario: version 1; nodes 2; algorithm eager; rules 0ed4710f; run a1.a0.d2.d1
}

// The schedule of a failure is a scenario: package sim repeats it, step by step.
func ExampleScenario() {
	err := nodetest.Run(newEager, nodetest.Config{Nodes: 2, Seed: 1, Name: "eager"})
	text := nodetest.Scenario(err)
	fmt.Println(text)

	scenario, err := sim.ReadScenario("eager", strings.NewReader(text))
	if err != nil {
		fmt.Println(err)
		return
	}
	lookup := func(sim.Setting) (messaging.Algorithm, error) { return newEager, nil }
	run, err := scenario.Start(lookup)
	fmt.Println(run.Err(), err)
	// Output:
	// version 1; nodes 2; algorithm eager; rules 0ed4710f; run a1.d1.a0.d2.d3.d4
	// sim: at 0 T: two nodes are inside: S1 and S2 <nil>
}

// Check also finds that an eager node accepts unknown messages: its Receive has no
// default case. The node of Ricart and Agrawala satisfies the contract.
func ExampleCheck() {
	kinds := []messaging.Message{mayI{}, youMay{}}
	fmt.Println(nodetest.Check(newEager, kinds, nodetest.Config{Nodes: 2, Users: []int{1}}))

	var schedules []nodetest.Config
	for seed := range uint64(10) {
		schedules = append(schedules, nodetest.Config{Nodes: 4, Seed: seed, Unordered: true, Withdraw: 0.25})
	}
	fmt.Println(nodetest.Check(ricartagrawala.New, ricartagrawala.Protocol.Kinds, schedules...))
	// Output:
	// seed 0: an impossible message was not rejected correctly: S2 accepted a message of an unknown kind: Receive must panic on unknown messages
	// S2 asks
	// <nil>
}

// Package sim classifies an error for a program; its text lists the events for a
// reader.
func Example_failure() {
	err := nodetest.Run(newEager, nodetest.Config{Nodes: 2, Seed: 1})
	fmt.Println(sim.Failure(err))

	// Three events are not enough for an entry.
	err = nodetest.Run(ricartagrawala.New, nodetest.Config{Nodes: 2, Steps: 3})
	fmt.Println(sim.Failure(err))
	// Output:
	// exclusion
	// endless
}
