package ricartagrawala1983_test

import (
	"fmt"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
	"example.org/doorway/messaging/token/ricartagrawala1983"
	"example.org/doorway/messaging/token/suzukikasami"
)

// Nodes 2 and 0 ask while node 3 is inside, and node 1 when node 0 is. The token goes around: it
// comes to 1 before 2. In the algorithm of Suzuki and Kasami it has a queue, which 2 was in first.
func ExampleNew() {
	for _, p := range []messaging.Protocol{ricartagrawala1983.Protocol, suzukikasami.Protocol} {
		a, err := p.New(4)
		if err != nil {
			panic(err)
		}
		r, err := sim.Run(sim.Config{
			Algorithm: a, Nodes: 4, Holder: 3, Stay: sim.Constant(5 * sim.T), Order: true,
			Load: sim.Script{{Node: 3}, {Node: 2, At: sim.T}, {Node: 0, At: 2 * sim.T}, {Node: 1, At: 7 * sim.T}},
		})
		if err != nil {
			panic(err)
		}
		fmt.Print(p.Name, ":")
		for _, v := range r.Order {
			fmt.Print(" ", v.Node)
		}
		fmt.Printf(", %d messages\n", r.Messages)
	}
	// Output:
	// ricartagrawala1983: 3 0 1 2, 12 messages
	// suzukikasami: 3 0 2 1, 12 messages
}
