// Package sim runs the nodes of a message-passing algorithm in virtual time. Of those
// for mutual exclusion it measures what lectures derive on paper: messages per entry,
// synchronization delay, response time and throughput.
//
//	report, err := sim.Run(sim.Config{
//		Algorithm: ricartagrawala.New,
//		Nodes:     10,
//		Load:      sim.HighLoad{},
//		Entries:   1000,
//	})
//	if err != nil {
//		log.Fatal(err) // an invalid Config, or one of the failures that Failure lists
//	}
//	fmt.Println(report)
//
// [Run] runs to the end. [Start] begins a run whose caller decides what happens next, and
// [ReadScenario] reads one from a text file. Nodes that are no locks need no Load; Config.Observe
// reports what they emit.
//
// A run shows one interleaving of very many. That it ends well proves nothing.
//
// # Time
//
// The clock jumps from event to event; handlers take no time. [T], a million ticks of
// a nanosecond each, is the unit of all results and stands for the mean message delay.
// Each message takes T unless [Config.Latency] is set; if its mean is T, results agree
// with the lectures'.
//
// Events at the same time occur in the order in which they were scheduled:
//
//   - crashes, in the order of [Config.Crashes];
//   - starts of nodes, in the order of their numbers, if they are a [messaging.Starter];
//   - first requests, of a [Script] in the order of the nodes, of a [HighLoad] in the
//     order of its Users;
//   - inputs, in the order of the nodes;
//   - events scheduled by earlier ones: a send schedules the delivery; an entry the
//     exit; a request, after its messages, the time at which it is given up; an exit,
//     after its messages, the next request of the node, however long the pause before
//     it; and a crash its detection.
//
// A handler's effects belong to its event: the node enters, then its messages are
// sent, then its timers are set. All random choices derive from [Config.Seed] by
// integer arithmetic: the same Config gives the same run on every machine.
package sim

// What is measured, beside what [Report] says, and how large a run can be.
//
// # Measures
//
// The names are those of Reiser (Verteilte Algorithmen, Erlangen 2002, slide 5.4) and
// of Prabhakaran (Mutual Exclusion Algorithms, slides 4 to 6). E is how long a node
// stays inside: under low load, the best case, the response time is 2T+E in many
// algorithms; under high load, the throughput is 1/(sd+E), where sd is the
// synchronization delay.
//
// An absorbed request, which was given up but could not be withdrawn, leaves as soon as it
// has entered. That is no entry here, but the delay to the next entry runs from then.
//
// If an algorithm grants requests in their order, a request bypasses only requests made
// within a message delay or two before it, because no node knows the real order of those.
//
// # Size
//
// Memory is proportional to the number of nodes and of messages in transit, not to
// pairs of nodes, so that 100,000 nodes are fine for algorithms that keep little state
// per node. ([Config.Pairs] takes memory for the pairs that occur, [Config.Order] for
// the entries, random latencies on FIFO links for the links in use; emitted values are
// kept.)
