// Package messaging is the contract of distributed algorithms for mutual
// exclusion, whose processes have no memory in common and send each other
// messages; and the host that runs them in one program.
//
//	c := messaging.NewCluster(5, ricartagrawala.New)
//	defer c.Close()
//	l := c.Node(3) // a sync.Locker; with LockContext and TryLock
//
// # Nodes
//
// An algorithm is written once, as a [Node]: a plain struct with a handler for
// each message of the paper, and no goroutine, clock or network. [Exclusion] adds
// what its user wants of it: Request and Release. So the same source is run by
// goroutines ([Cluster]), in virtual time (package sim), and by tests that reorder
// messages as they like (package nodetest). What a host has to do for every node
// alike is in [Site].
//
// # The system
//
// Nodes are numbered from 0, their number is fixed, and each knows it. A handler
// and all that it sends are one atomic action. Messages take any finite time, and
// none is lost or doubled unless an algorithm says that it copes. Links are FIFO
// if the algorithm says that it needs that. A node has one request at a
// time; several callers at one node queue in front of it.
//
// # Counts
//
// Costs are in messages per entry, and a message of a node to itself is none. T is
// the mean delay of a message, N the number of nodes, E the time in the critical
// section. The synchronisation delay is the time from an exit to the next entry
// when somebody waits already; the response time is that from the request to the
// exit. Load is low if at most one node wants to enter at a time, and high if all
// want to always. (M. Singhal, N. Shivaratri, Advanced Concepts in Operating
// Systems, 1994, chapter 6.)
package messaging
