package state_test

import (
	"fmt"

	"example.org/doorway/internal/state"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/ricartagrawala"
)

// slides numbers the nodes from 1, as lectures do.
func slides(id messaging.ID) string { return fmt.Sprintf("S%d", id+1) }

// A node makes a request, and is then restored to its state before.
func Example() {
	site := messaging.NewSite(ricartagrawala.New, messaging.Start{Self: 0, Nodes: 3}, nil)
	node := site.Node()
	saved := state.Append(nil, node)

	site.Request()
	site.Receive(2, ricartagrawala.Request{Of: messaging.Stamp{Time: 4, ID: 2}})
	fmt.Println(state.Format(node, slides))
	for _, send := range site.Sends {
		fmt.Println("to", slides(send.To), state.Format(send.Message, slides))
	}

	if err := state.Restore(node, saved); err != nil {
		fmt.Println(err)
	}
	fmt.Println(state.Format(node, slides))
	// Output:
	// Phase: waiting, Highest: 4, Mine: (1, S1), Replies: 0, Deferred: [0 0 4]
	// to S2 Request{Of: (1, S1)}
	// to S3 Request{Of: (1, S1)}
	// Phase: idle, Highest: 0, Mine: none, Replies: 0, Deferred: [0 0 0]
}

// To a checker, nodes that differ only by a shift of their clocks are in one state.
func ExampleAppendMapped() {
	late := messaging.NewSite(ricartagrawala.New, messaging.Start{Self: 1, Nodes: 2}, nil)
	late.Receive(0, ricartagrawala.Request{Of: messaging.Stamp{Time: 1000, ID: 0}})
	late.Request()

	first := ^messaging.Time(0)
	state.Times(late.Node(), func(t messaging.Time, _ bool) {
		if t != 0 { // 0 stands for none
			first = min(first, t)
		}
	})
	early := state.AppendMapped(nil, late.Node(), func(t messaging.Time, _ bool) messaging.Time {
		if t != 0 {
			t -= first - 1
		}
		return t
	})
	if err := state.Restore(late.Node(), early); err != nil {
		fmt.Println(err)
	}
	fmt.Println(state.Format(late.Node(), nil))
	// Output: Phase: waiting, Highest: 1, Mine: (1, 1), Replies: 0, Deferred: [0 0]
}

// The state of a node must not contain a map.
func ExampleCheck() {
	type node struct {
		Asked map[messaging.ID]bool
	}
	fmt.Println(state.Check(&node{}))
	// Output: state: state_test.node.Asked is a map[messaging.ID]bool: the order of a map is random
}
