package explore_test

import (
	"fmt"

	"example.org/doorway/explore"
	"example.org/doorway/messaging"
)

// A visitor asks node 0, the host, which lets one after the other in.
type visitor struct {
	start messaging.Start
	Line  []messaging.ID // of the host: the visitor inside, then those that wait
}

type (
	ask     struct{}
	welcome struct{}
	thanks  struct{}
)

func newVisitor(start messaging.Start) messaging.Node { return &visitor{start: start} }

func (v *visitor) Request(out messaging.Out) { out.Send(0, ask{}) }
func (v *visitor) Release(out messaging.Out) { out.Send(0, thanks{}) }

func (v *visitor) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	switch m.(type) {
	case welcome:
		out.Enter()
		return
	case ask:
		if v.Line = append(v.Line, from); len(v.Line) > 1 {
			return
		}
	case thanks:
		if v.Line = v.Line[1:]; len(v.Line) == 0 {
			return
		}
	default:
		messaging.Refuse("visitor", v.start.Self, from, m, "it is not a message of this algorithm")
	}
	out.Send(v.Line[0], welcome{})
}

// Does each visitor enter eventually, however often others do? And if a node crashes?
func ExampleCheckNodes() {
	for _, crashes := range []int{0, 1} {
		report, err := explore.CheckNodes(explore.NodesConfig{New: newVisitor, Nodes: 3, Rounds: explore.Unbounded, Crashes: crashes})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Print(report)
		fmt.Println(report.Err())
	}
	// Output:
	// 3 nodes, any number of requests, 70 states, 160 events between them; links are FIFO
	//   mutual exclusion                              holds in every run
	//   no panic                                      holds in every run
	//   deadlock-free                                 holds in every run
	//   starvation-free                               holds in every run
	//   comes to rest                                 holds in every run
	//   FIFO                                          fails, in 2 events
	//   happened-before                               holds in every run
	//   bypasses while a node waits, in these runs    more than 254 by one other, more than 254 by all others
	//   messages on a link in these runs, at most     2
	// <nil>
	// 3 nodes, any number of requests, 208 states, 624 events between them; links are FIFO; at most 1 node crashes, of which no node is told
	//   mutual exclusion                              holds in every run
	//   no panic                                      holds in every run
	//   deadlock-free                                 fails, in 2 events
	//   starvation-free                               fails, in 2 events
	//   comes to rest                                 holds in every run
	//   FIFO                                          fails, in 2 events
	//   happened-before                               holds in every run
	//   nodes that may wait forever                   S1 S2 S3
	//   bypasses while a node waits, in these runs    more than 254 by one other, more than 254 by all others
	//   messages on a link in these runs, at most     2
	// explore: deadlock-free fails, in 2 events
	// deadlock: a request is pending and no message is in transit
	// S1 crashes
	// S2 asks
	// starvation-free fails, in 2 events
	// repeat it: doorway check example.org/doorway/explore.<constructor> -n 3 -rounds unbounded -crashes 1
	// scenario: version 1; nodes 3; algorithm explore_test; rules d2f2d785; run k0.a1.d1
}

// If each visitor requests twice at most, others cannot enter again and again while one waits.
func ExampleNodesReport() {
	report, err := explore.CheckNodes(explore.NodesConfig{New: newVisitor, Nodes: 3, Rounds: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	if report.StarvationFree.Status == explore.Undecided {
		fmt.Println(report.StarvationFree.Note)
	}
	// Output: in every run of at most 2 requests a node, others enter at most 4 times while one waits
}

// What the runs of a check leave out.
func ExampleNodesConfig_Faults() {
	fmt.Println(explore.NodesConfig{Crashes: 1, CrashOf: []messaging.ID{1, 2}, CrashIn: []messaging.Phase{messaging.Idle}, Detected: true, Losses: 2}.Faults())
	fmt.Println(explore.NodesConfig{Unordered: true, AnyTime: true}.Faults())
	// Output:
	// links are FIFO; at most 1 of the nodes 1 and 2 crashes while idle, of which the others are told; at most 2 messages are lost
	// messages may overtake each other; timers expire at any time
}
