package nodetest_test

import (
	"fmt"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/nodetest"
	"example.org/doorway/messaging/ricartagrawala"
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

func newEager(start messaging.Start) messaging.Exclusion { return &eager{start: start} }

// Two eager nodes let each other in, and what led there is told.
func ExampleRun() {
	fmt.Println(nodetest.Run(ricartagrawala.New, nodetest.Config{Nodes: 2, Seed: 1}))
	fmt.Println(nodetest.Run(newEager, nodetest.Config{Nodes: 2, Seed: 1}))
	// Output:
	// <nil>
	// seed 1: two nodes are inside: 0 and 1
	// node 1 requests
	// node 0 gets mayI{} from 1
	// node 0 requests
	// node 1 gets youMay{} from 0
	// node 1 is inside
	// node 1 gets mayI{} from 0
	// node 0 gets youMay{} from 1
	// node 0 is inside
}

// One that enters alone is held to its contract as well: it has no default.
func ExampleCheck() {
	kinds := []messaging.Message{mayI{}, youMay{}}
	fmt.Println(nodetest.Check(newEager, kinds, nodetest.Config{Nodes: 2, Users: []int{1}}))
	// Output:
	// seed 0: a message was not refused as it should be: node 1 has accepted a nodetest.stranger, which it cannot know
	// node 1 requests
}
