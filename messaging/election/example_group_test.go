package election_test

import (
	"context"
	"fmt"
	"time"

	"example.org/doorway/messaging/election"
	"example.org/doorway/messaging/election/bully"
)

// Node 0 holds an election, and each user learns who leads. The largest node wins, whichever
// begins.
func ExampleGroup() {
	g := election.NewGroup(5, bully.New(time.Second, 3*time.Second))
	defer g.Close()
	if err := g.Hold(0); err != nil {
		fmt.Println(err)
	}
	for i := range 5 {
		e, err := g.Leader(context.Background(), i)
		if err != nil {
			fmt.Println(err)
		}
		fmt.Println("node", i, "follows node", e.Leader, "in term", e.Term)
	}
	// Output:
	// node 0 follows node 4 in term 4
	// node 1 follows node 4 in term 4
	// node 2 follows node 4 in term 4
	// node 3 follows node 4 in term 4
	// node 4 follows node 4 in term 4
}

// A user that acts while it leads listens to changes. Here the leader is asked for another election,
// wins it, and leads in a later term.
func ExampleGroup_Changes() {
	g := election.NewGroup(3, bully.New(time.Second, 3*time.Second))
	defer g.Close()
	const self = 2
	if err := g.Hold(self); err != nil {
		fmt.Println(err)
	}
	for e := range g.Changes(context.Background(), self) {
		fmt.Println("node", self, "leads:", e.Leader == self, "in term", e.Term)
		if e.Term == 5 {
			break
		}
		if err := g.Hold(self); err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// node 2 leads: true in term 2
	// node 2 leads: true in term 5
}
