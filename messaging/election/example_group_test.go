package election_test

import (
	"context"
	"fmt"
	"time"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/election"
	"example.org/doorway/messaging/election/bully"
	"example.org/doorway/messaging/election/heartbeat"
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

// The leader crashes, and the others follow another one, since they no longer hear of it. When it
// restarts, it leads again.
func ExampleGroup_crash() {
	const ms = time.Millisecond
	g := election.NewGroup(3, heartbeat.Over(bully.New(2*ms, 6*ms), heartbeat.Config{Period: ms, Timeout: 3 * ms}))
	defer g.Close()
	var leaders []messaging.ID
	for e := range g.Changes(context.Background(), 0) {
		if len(leaders) > 0 && e.Leader == leaders[len(leaders)-1] {
			continue // in another term
		}
		leaders = append(leaders, e.Leader)
		fmt.Println("node 0 follows node", e.Leader)
		switch len(leaders) {
		case 1:
			g.Cluster.Crash(2)
		case 2:
			g.Cluster.Restart(2)
		case 3:
			return
		}
	}
	// Output:
	// node 0 follows node 2
	// node 0 follows node 1
	// node 0 follows node 2
}
