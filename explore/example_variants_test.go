//go:build doorway_explore

package explore_test

import (
	"fmt"

	"example.org/doorway/catalog"
	"example.org/doorway/explore"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
)

// The rules of a lecture, in which a node is not told that it is no longer first in
// a queue (Reiser 2002, slides 5.15 to 5.17): this is a shortest deadlock.
func ExampleCheckNodes_lecture() {
	for _, name := range []string{"maekawa/late-failed", "maekawa"} {
		a, err := catalog.Scenario(sim.Setting{Algorithm: name, Nodes: 3, Request: [][]messaging.ID{{0, 1, 2}, {1, 2}, {2}}})
		if err != nil {
			fmt.Println(err)
			return
		}
		report, err := explore.CheckNodes(explore.NodesConfig{New: a, Nodes: 3})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(name, report.DeadlockFree.Status)
		if h := report.DeadlockFree.History; h != nil {
			fmt.Print(h)
		}
	}
	// Output:
	// maekawa/late-failed fails
	// deadlock: a request is pending and no message is in transit
	// node 0 requests
	// node 0 gets Request{Of: (1, 0)} from itself
	// node 0 gets Locked{To: (1, 0)} from itself
	// node 1 requests
	// node 1 gets Request{Of: (1, 1)} from itself
	// node 1 gets Locked{To: (1, 1)} from itself
	// node 1 gets Request{Of: (1, 0)} from 0
	// node 1 gets Inquire{To: (1, 1)} from itself
	// node 2 requests
	// node 2 gets Request{Of: (1, 2)} from itself
	// node 2 gets Locked{To: (1, 2)} from itself
	// node 2 is inside
	// node 2 gets Request{Of: (1, 1)} from 1
	// node 2 gets Inquire{To: (1, 2)} from itself
	// node 2 gets Request{Of: (1, 0)} from 0
	// node 2 leaves
	// node 2 gets Release{Of: (1, 2)} from itself
	// node 0 gets Locked{To: (1, 0)} from 2
	// maekawa holds
}
