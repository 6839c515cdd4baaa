// Package sim runs nodes of an algorithm for mutual exclusion in virtual time, and
// measures what lectures derive on paper: messages for each entry, synchronisation
// delay, response time and throughput.
//
//	report, err := sim.Run(sim.Config{
//		Algorithm: ricartagrawala.New,
//		Nodes:     10,
//		Load:      sim.HighLoad{},
//		Entries:   1000,
//	})
//	if err != nil {
//		log.Fatal(err) // a config that makes no sense, two inside, a deadlock, a panic
//	}
//	fmt.Println(report)
//
// # Time
//
// Time is virtual: an event happens, and the clock jumps to the next. It is counted
// in ticks, which are the nanoseconds of a [time.Duration]. [T], a million ticks, is
// the unit in which results are told. It stands for the mean message delay: that is
// what it is unless [Config.Latency] says otherwise, and results agree with the
// lectures' if the Latency has mean T. Handlers take no time.
//
// Events of the same time happen one after the other, in the order in which it was
// settled that they would:
//
//   - first the crashes, in the order of [Config.Crashes];
//   - then what the load settles at the beginning: of a [Script] the first request of
//     each node, in the order of the nodes, of a [HighLoad] the first of each user, in
//     the order of its Users;
//   - then the rest, each settled by an event before. A message comes in the order in
//     which it was sent; an exit is settled by the entry, and that a request is given up
//     by the request, after the messages that it sends; the next request of a node by
//     the exit from the one before, after the messages of that exit, however long the
//     node is silent in between; and that a node is told of a crash by the crash.
//
// So a first request at time 5 comes before a message that arrives then, and a message
// sent at 3 that arrives at 5 before one sent at 4 that does. With one event goes all
// that the node does on it: it enters, then its messages are sent, and then its timers
// are set.
//
// All that is random is drawn from [Config.Seed], by integer arithmetic. The same
// Config gives the same events in the same order on every machine.
//
// # Load
//
// Under low load there is at most one request at a time ([LowLoad]): the next is
// made when nothing is under way any more. Under high load every node always has a
// request ([HighLoad]): it asks again as soon as it has left. A [Script] says who
// asks when.
//
// A node has one user, who asks, waits, stays inside and leaves; it never has two
// requests at a time.
//
// # Checks
//
// A run ends with an error, which [Failure] tells apart:
//
//   - "exclusion": a node enters while another is inside;
//   - "deadlock": a request is pending, and nothing is under way;
//   - "panic": a node panics;
//   - "endless": the run would not end otherwise, for a request is pending for longer
//     than [Config.Patience], or messages do not end; time does not pass; or requests
//     are given up again and again, and no node enters;
//   - "overflow": the clock or the sum of the times to be measured becomes more than
//     a [time.Duration] holds, for then what was measured would be wrong.
//
// It shows one order of events out of very many. That it ends well proves nothing.
package sim

// What is measured, and how large a run can be.
//
// # Measures
//
// The names are those of Reiser (Verteilte Algorithmen, Erlangen 2002, slide 5.4) and
// of Prabhakaran (Mutual Exclusion Algorithms, slides 4 to 6). E is how long a node
// stays inside.
//
// The messages of an entry are all that were sent, divided by the entries. What a
// node sends to itself is none. What was lost was sent; what the network duplicates
// was sent once.
//
// The synchronisation delay, sd, is the time from an exit to the next entry. It says
// something only if a request is pending all that time, and other exits do not count.
// A request that was given up and goes on leaves as soon as it has entered; that is
// no entry here, but the delay to the next one runs from then.
//
// The response time is from a request to the exit that belongs to it, so it has E in
// it: under low load, the best case, it is 2T+E in many algorithms. The waiting
// time is that without E.
//
// The throughput is the number of entries in each T. It is counted from the first
// entry to the last, so that under high load it is 1/(sd+E).
//
// An entry bypasses each request that was made earlier and still waits. In an
// algorithm that is fair in the lectures' sense, entry in the order of requests,
// only requests bypass each other that were made within a message delay or two,
// for no node knows the real order of those.
//
// Fairness in the sense of equal shares is told by the shares of the entries, and
// by the index of Jain ([Report.Jain]).
//
// # Size
//
// Memory is proportional to the number of nodes and of messages under way, not to
// pairs of nodes, so that 100,000 nodes are fine for algorithms in which a node
// keeps little. ([Config.Pairs] takes memory for the pairs that occur, and
// [Config.Order] for the entries; random latencies on FIFO links do for the links
// that are used, and what nodes emit is kept.)
