package state_test

import (
	"fmt"

	"example.org/doorway/internal/node/host"
	"example.org/doorway/internal/node/state"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/ricartagrawala"
)

// slides numbers the nodes from 1, as lectures do.
func slides(id messaging.ID) string { return fmt.Sprintf("S%d", id+1) }

// A node makes a request, and is then restored to its state before.
func Example() {
	site := host.NewSite(ricartagrawala.New, messaging.Start{Self: 0, Nodes: 3}, nil)
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
