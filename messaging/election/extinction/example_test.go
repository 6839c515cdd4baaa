package extinction_test

import (
	"fmt"
	"os"

	"example.org/doorway/explore"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/election"
	"example.org/doorway/messaging/election/extinction"
	"example.org/doorway/messaging/sim"
	"example.org/doorway/messaging/topology"
)

// S1 and S3, the ends of a line, hold an election. S2 passes the wave of S1 on, and then that of S3,
// which extinguishes the other: S3 does not answer it. The echoes tell S3 that it leads.
func ExampleNew() {
	_, err := sim.Run(sim.Config{
		Algorithm: extinction.New(topology.Line(3), false),
		Nodes:     3,
		Inputs:    []sim.Input{{Node: 0, Message: election.Hold{}}, {Node: 2, Message: election.Hold{}}},
		Results:   extinction.Protocol.Results,
		Observe:   sim.Trace(os.Stdout),
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// 0       S1 gets HOLD from its user
	// 0       S1 sends EXPLORE(S1) to S2
	// 0       S3 gets HOLD from its user
	// 0       S3 sends EXPLORE(S3) to S2
	// 1       S2 gets EXPLORE(S1) from S1
	// 1       S2 sends EXPLORE(S1) to S3
	// 1       S2 gets EXPLORE(S3) from S3
	// 1       S2 sends EXPLORE(S3) to S1
	// 2       S3 gets EXPLORE(S1) from S2
	// 2       S1 gets EXPLORE(S3) from S2
	// 2       S1 sends ECHO(S3) to S2
	// 3       S2 gets ECHO(S3) from S1
	// 3       S2 sends ECHO(S3) to S3
	// 4       S3 gets ECHO(S3) from S2
	// 4       S3 sends LEADER(S3) to S2
	// 4       S3 emits ELECTED(S3,Term:0)
	// 5       S2 gets LEADER(S3) from S3
	// 5       S2 sends LEADER(S3) to S1
	// 5       S2 emits ELECTED(S3,Term:0)
	// 6       S1 gets LEADER(S3) from S2
	// 6       S1 emits ELECTED(S3,Term:0)
}

// Only node 0 of a line holds an election. If woken nodes join, each extinguishes the wave that
// wakes it, and the largest leads.
func ExampleNew_wakeJoins() {
	for _, joins := range []bool{false, true} {
		r, err := sim.Run(sim.Config{
			Algorithm: extinction.New(topology.Line(5), joins),
			Nodes:     5,
			Inputs:    []sim.Input{{Node: 0, Message: election.Hold{}}},
			Results:   extinction.Protocol.Results,
		})
		if err != nil {
			fmt.Println(err)
		}
		fmt.Printf("node %d leads: %d messages of waves, %d echoes, %d of the leader\n",
			r.Emits[0].Message.(election.Elected).Leader, r.Kinds["EXPLORE"], r.Kinds["ECHO"], r.Kinds["LEADER"])
	}
	// Output:
	// node 0 leads: 4 messages of waves, 4 echoes, 4 of the leader
	// node 4 leads: 14 messages of waves, 9 echoes, 4 of the leader
}

// Without echoes, all know the largest in the end, but no node knows when: if each took the largest
// that it knows for its leader, two would lead.
func ExampleNewPlain() {
	c := explore.NodesConfig{
		New: extinction.NewPlain(topology.Line(3), false), Nodes: 3,
		Inputs:  [][]messaging.Message{{election.Hold{}}, nil, {election.Hold{}}},
		Results: extinction.Plain.Results,
	}
	for range 2 {
		r, err := explore.CheckNodes(c)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(r.Results.Status)
		if h := r.Results.History; h != nil {
			fmt.Print(h)
		}
		c.Results = func(o messaging.Outcome) error {
			leaders := make([][]any, len(o.Emitted))
			for i, of := range o.Emitted {
				for _, v := range of {
					leaders[i] = append(leaders[i], election.Elected{Leader: v.(extinction.Largest).ID})
				}
			}
			o.Emitted = leaders
			return election.Results(o)
		}
	}
	// Output:
	// holds
	// fails
	// the results are wrong: S1 and S3 lead in term 0
	// S1 gets HOLD from its user
	// S1 emits LARGEST(S1)
	// S3 gets HOLD from its user
	// S3 emits LARGEST(S3)
}
