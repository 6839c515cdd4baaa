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
	// S1 asks
	// S1 gets REQUEST(1,S1) from itself
	// S1 gets LOCKED(1,S1) from itself
	// S2 asks
	// S2 gets REQUEST(1,S2) from itself
	// S2 gets LOCKED(1,S2) from itself
	// S2 gets REQUEST(1,S1) from S1
	// S2 gets INQUIRE(1,S2) from itself
	// S3 asks
	// S3 gets REQUEST(1,S3) from itself
	// S3 gets LOCKED(1,S3) from itself
	// S3 enters
	// S3 gets REQUEST(1,S2) from S2
	// S3 gets INQUIRE(1,S3) from itself
	// S3 gets REQUEST(1,S1) from S1
	// S3 leaves
	// S3 gets RELEASE(1,S3) from itself
	// S1 gets LOCKED(1,S1) from S3
	// maekawa holds
}
