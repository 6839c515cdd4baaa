package clock_test

import (
	"fmt"
	"time"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/clock"
	"example.org/doorway/messaging/permission/ricartagrawala"
	"example.org/doorway/messaging/sim"
)

// Two nodes ask for the critical section at the same time: neither request happened before the
// other. That of node 0 has the smaller number, and node 1 enters as an effect of its exit.
func ExampleVectors() {
	var events []messaging.Event
	_, err := sim.Run(sim.Config{
		Algorithm: ricartagrawala.New, Nodes: 2, Load: sim.Script{{Node: 0}, {Node: 1}},
		Observe: func(e messaging.Event) { events = append(events, e) },
	})
	if err != nil {
		fmt.Println(err)
	}
	of := map[string]clock.Vector{}
	for k, v := range clock.Vectors(2, events) {
		e := events[k]
		of[fmt.Sprint(e.From, " ", e.Action)] = v
		if e.Message == nil {
			fmt.Println(v, "node", e.From, e.Action)
		}
	}
	fmt.Println("the requests are concurrent:", of["0 requested"].Concurrent(of["1 requested"]))
	fmt.Println("the exit of node 0 happened before the entry of node 1:", of["0 left"].Before(of["1 entered"]))
	// Output:
	// [1 0] node 0 requested
	// [0 1] node 1 requested
	// [5 4] node 0 entered
	// [6 4] node 0 left
	// [7 6] node 1 entered
	// [7 7] node 1 left
	// the requests are concurrent: true
	// the exit of node 0 happened before the entry of node 1: true
}

// A vector that a node keeps itself learns from those of the messages that it gets.
func ExampleVector_Witness() {
	mine := clock.Vector{2, 0, 0}
	sent := clock.Vector{1, 3, 0} // of a message of node 1
	mine.Witness(sent)
	mine[0]++ // the arrival is an event of node 0
	fmt.Println(mine, sent.Before(mine))
	// Output: [3 3 0] true
}

// What clocks show is judged after a run, and in all hosts that take a [messaging.Results].
func ExampleResults() {
	err := clock.Results(messaging.Outcome{Emitted: [][]any{
		{clock.Reading{Time: 3 * time.Second}},
		{clock.Reading{Time: 5 * time.Second}, clock.Reading{Time: 4 * time.Second}},
	}})
	fmt.Println(err)
	// Output: the clock of node 1 goes back from 5s to 4s
}
