// Package messaging defines the contract of message-passing algorithms, whose processes
// share no memory. Most of them are for mutual exclusion, and package cluster runs them in one program:
//
//	c := cluster.New(5, ricartagrawala.New)
//	defer c.Close()
//	l := c.Node(3) // a sync.Locker, with LockContext and TryLock
//
// # Nodes
//
// An algorithm is written once, as a [Node]: a plain struct with a handler for
// each message of the paper, without goroutines, clocks or a network. So the same
// source is run by goroutines (package cluster), in virtual time (package sim), between machines
// (package engine), and by tests that reorder messages arbitrarily (package nodetest).
//
// Whatever else a node can do is an interface of its own. [Exclusion] adds that of a lock's user:
// Request and Release. A node that is no lock, such as one of an election or a heartbeat, acts when
// it starts ([Starter]), on messages and on timers, and reports its results by [Out.Emit], which
// observers see as events.
//
// # The system
//
// Nodes are numbered from 0; their number is fixed and known to each. A handler and its sends are
// one atomic action. Message delays are finite but unbounded, and no message is lost or duplicated
// unless an algorithm documents that it tolerates that. Links are FIFO if the algorithm requires
// it. A node has one request at a time; several callers at one node queue in front of it.
//
// # Measures
//
// Costs are in messages per entry; a message of a node to itself does not count. T is
// the mean message delay, N the number of nodes, E the duration of a critical section.
// The synchronization delay is the time from an exit to the next entry while a request
// is pending; the response time is the time from a request to its exit. Load is low
// if at most one node at a time wants to enter, and high if all nodes always do.
// (M. Singhal, N. Shivaratri, Advanced Concepts in Operating Systems, 1994,
// chapter 6.)
package messaging
