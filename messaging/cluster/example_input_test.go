package cluster_test

import (
	"errors"
	"fmt"

	"example.org/doorway/explore"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/cluster"
	"example.org/doorway/messaging/sim"
)

// Say is an input of a user, and the message that passes it on.
type Say struct{ Word string }

// A talker tells the others what its user says, and emits what they say.
type talker struct{ start messaging.Start }

func newTalker(start messaging.Start) messaging.Node { return &talker{start} }

func (n *talker) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	said, ok := m.(Say)
	switch {
	case !ok:
		messaging.Refuse("talk", n.start.Self, from, m, "it is not a message of this algorithm")
	case from == n.start.Self:
		for j := range n.start.Others() {
			out.Send(j, said)
		}
	default:
		out.Emit(said)
	}
}

// heard is what is right of talkers: node 1 hears the words of node 0 in their order, and in
// the end both.
func heard(o messaging.Outcome) error {
	switch words := o.Emitted[1]; {
	case len(words) > 0 && words[0] != Say{"tick"}:
		return errors.New("node 1 does not hear tick first")
	case o.Over && len(words) < 2:
		return errors.New("node 1 does not hear both words")
	}
	return nil
}

// The user of a node that is no lock gives it inputs. What the nodes come to is seen by the
// observer.
func ExampleCluster_Input() {
	words := make(chan any, 2)
	c := cluster.New(2, newTalker, cluster.Observe(func(e messaging.Event) {
		if e.Action == "emitted" {
			words <- e.Message
		}
	}))
	defer c.Close()
	for _, word := range []string{"tick", "tock"} {
		if err := c.Input(0, Say{word}); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(<-words, <-words)
	// Output: {tick} {tock}
}

// What is right of an algorithm that is no lock is said of what its nodes emit, and checked
// in all schedules like mutual exclusion.
func ExampleOutcome() {
	c := explore.NodesConfig{
		New: newTalker, Nodes: 2,
		Inputs:  [][]messaging.Message{{Say{"tick"}, Say{"tock"}}, nil},
		Results: heard,
	}
	r, err := explore.CheckNodes(c)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("on FIFO links:", r.Results.Status)
	c.Unordered = true
	if r, err = explore.CheckNodes(c); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(r.Results.History)

	report, err := sim.Run(sim.Config{
		Algorithm: newTalker, Nodes: 2, Results: heard,
		Inputs: []sim.Input{{At: 0, Message: Say{"tick"}}, {At: 3 * sim.T, Message: Say{"tock"}}},
	})
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println("in virtual time:", report.Messages, "messages in", int(report.Time/sim.T), "T")
	// Output:
	// on FIFO links: holds
	// the results are wrong: S2 does not hear tick first
	// S1 gets SAY(Word:tick) from its user
	// S1 gets SAY(Word:tock) from its user
	// S2 gets SAY(Word:tock) from S1
	// S2 emits SAY(Word:tock)
	// in virtual time: 2 messages in 4 T
}
