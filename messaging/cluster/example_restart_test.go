package cluster_test

import (
	"fmt"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/cluster"
)

// Vote asks for the vote of the receiver.
type Vote struct{}

// A voter votes once. It would vote again after a crash if it did not keep For.
type voter struct {
	start messaging.Start
	For   messaging.Set `messaging:"durable"`
}

func newVoter(start messaging.Start) messaging.Node { return &voter{start: start} }

func (v *voter) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if _, ok := m.(Vote); !ok {
		messaging.Refuse("voter", v.start.Self, from, m, "it is not a message of this algorithm")
	}
	if v.For.Len() == 0 {
		v.For.Add(from)
		out.Emit(from)
	}
}

// A node that has crashed starts again with what it declares as durable.
func ExampleCluster_Restart() {
	c := cluster.New(1, newVoter, cluster.Observe(func(e messaging.Event) {
		switch e.Action {
		case "input", "restarted":
			fmt.Println(e.Action)
		case "emitted":
			fmt.Println("votes for", e.Message)
		}
	}))
	defer c.Close()
	fmt.Println(c.Input(0, Vote{}))
	c.Crash(0)
	c.Restart(0)
	fmt.Println(c.Input(0, Vote{}))
	// Output:
	// input
	// votes for 0
	// <nil>
	// restarted
	// input
	// <nil>
}
