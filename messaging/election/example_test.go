package election_test

import (
	"fmt"

	"example.org/doorway/explore"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/election"
	"example.org/doorway/messaging/election/changroberts"
)

// Nodes 0 and 1 of three hold an election, at any time; one node may crash. Without a crash,
// all schedules end with the same leader. With one, the election may be lost with a message.
func ExampleResults() {
	hold := []messaging.Message{election.Hold{}}
	c := explore.NodesConfig{
		New: changroberts.New(nil), Nodes: 3, Inputs: [][]messaging.Message{hold, hold, nil},
		Results: election.Results,
	}
	for c.Crashes = range 2 {
		r, err := explore.CheckNodes(c)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(c.Crashes, "crashes:", r.Results.Status)
		if h := r.Results.History; h != nil {
			fmt.Print(h)
		}
	}
	// Output:
	// 0 crashes: holds
	// 1 crashes: fails
	// the results are wrong: S2 knows no leader, and S3 leads
	// S2 gets HOLD from its user
	// S3 gets ELECT(S2) from S2
	// S1 gets ELECT(S3) from S3
	// S1 crashes
	// S2 gets ELECT(S3) from S1
	// S3 gets ELECT(S3) from S2
	// S3 emits ELECTED(S3,Term:0)
}

// Each node has terms of its own, so no two lead in the same one.
func ExampleNextTerm() {
	fmt.Println(election.NextTerm(0, 2, 5), election.NextTerm(2, 1, 5), election.NextTerm(6, 1, 5))
	// Output: 2 6 11
}

// Node 0 has learned that node 1 leads, and now leads itself, in a later term. That is right of
// an election in which terms decide, but then two nodes lead until node 1 learns of it.
func ExampleOneAtATime() {
	o := messaging.Outcome{Emitted: [][]any{
		{election.Elected{Leader: 1, Term: 1}, election.Elected{Leader: 0, Term: 2}},
		{election.Elected{Leader: 1, Term: 1}},
	}}
	fmt.Println(election.Results(o))
	fmt.Println(election.OneAtATime(o))
	// Output:
	// <nil>
	// nodes 0 and 1 lead at the same time
}
