// Package protocols_test shows all message-passing algorithms side by side.
package protocols_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/cluster"
	"example.org/doorway/messaging/permission/caosinghal"
	"example.org/doorway/messaging/permission/central"
	"example.org/doorway/messaging/permission/intervals"
	"example.org/doorway/messaging/permission/lamport"
	"example.org/doorway/messaging/permission/maekawa"
	"example.org/doorway/messaging/permission/majority"
	"example.org/doorway/messaging/permission/quorum"
	"example.org/doorway/messaging/permission/ricartagrawala"
	"example.org/doorway/messaging/permission/roucairolcarvalho"
	"example.org/doorway/messaging/permission/sanders"
	"example.org/doorway/messaging/token/echo"
	"example.org/doorway/messaging/token/huntedring"
	"example.org/doorway/messaging/token/naimitrehel"
	"example.org/doorway/messaging/token/ricartagrawala1983"
	"example.org/doorway/messaging/token/singhal"
	"example.org/doorway/messaging/token/snepscheut"
	"example.org/doorway/messaging/token/suzukikasami"
	"example.org/doorway/messaging/token/tokenring"
	"example.org/doorway/messaging/topology"
)

// The protocols and their kinds of messages. Quorum algorithms need more kinds, to
// correct grants made out of order. Majority voting is Maekawa's algorithm.
func Example_messages() {
	for _, p := range []messaging.Protocol{
		central.Protocol, lamport.Protocol, lamport.Suppressed, ricartagrawala.Protocol, ricartagrawala.Acknowledged,
		intervals.Protocol,
		roucairolcarvalho.Protocol, roucairolcarvalho.Triangle, roucairolcarvalho.Withdrawing,
		majority.Protocol, majority.Choosing, maekawa.Protocol, sanders.Protocol, caosinghal.Protocol,
		echo.Protocol, echo.Tree, suzukikasami.Protocol, ricartagrawala1983.Protocol, naimitrehel.Protocol, singhal.Protocol, tokenring.Protocol, huntedring.Protocol, snepscheut.Protocol,
	} {
		if _, err := p.New(5); err != nil {
			fmt.Println(err)
		}
		fmt.Print(p.Name, ":")
		for _, m := range p.Kinds {
			fmt.Print(" ", messaging.Kind(m))
		}
		if p.FIFO {
			fmt.Print(", over FIFO links")
		}
		fmt.Println()
	}
	// Output:
	// central: REQUEST REPLY RELEASE CANCEL
	// lamport: REQUEST REPLY RELEASE, over FIFO links
	// lamport-suppressed: REQUEST REPLY RELEASE, over FIFO links
	// ricartagrawala: REQUEST REPLY
	// ricartagrawala-acknowledged: REQUEST GRANT DEFERRED ACKNOWLEDGE WITHIN TICK
	// intervals: REQUEST REPLY
	// roucairolcarvalho: REQUEST REPLY
	// roucairolcarvalho-triangle: REQUEST REPLY
	// roucairolcarvalho-withdrawing: REQUEST REPLY
	// majority: REQUEST LOCKED FAILED INQUIRE RELINQUISH RELEASE
	// majority-choosing: REQUEST LOCKED FAILED INQUIRE RELINQUISH RELEASE
	// maekawa: REQUEST LOCKED FAILED INQUIRE RELINQUISH RELEASE
	// sanders: REQUEST LOCKED RELEASE FAILED INQUIRE RELINQUISH
	// caosinghal: REQUEST LOCKED FAILED TRANSFER YIELD RELEASE
	// echo: EXPLORE ECHO TOKEN
	// echo-tree: EXPLORE TOKEN
	// suzukikasami: REQUEST TOKEN
	// ricartagrawala1983: REQUEST TOKEN
	// naimitrehel: REQUEST TOKEN
	// singhal: REQUEST TOKEN
	// tokenring: TOKEN RESUME
	// huntedring: HUNT TOKEN, over FIFO links
	// snepscheut: REQUEST TOKEN INVERT
}

// Each algorithm is a lock for the nodes of a cluster.
func Example_clusters() {
	quorums, err := quorum.New(4)
	if err != nil {
		panic(err)
	}
	arbiter := func(messaging.Start, []messaging.ID, messaging.Set, func(int) int) []messaging.ID {
		return []messaging.ID{2}
	}
	all := []messaging.Algorithm{
		central.New, lamport.New, lamport.NewSuppressed, ricartagrawala.New, ricartagrawala.NewFaultTolerant(),
		intervals.New([]intervals.Interval{{From: 0, To: 2}, {From: 1, To: 3}, {From: 2, To: 4}, {From: 3, To: 5}}),
		roucairolcarvalho.New, roucairolcarvalho.NewWithdrawing, majority.New, majority.NewChoosing,
		maekawa.New(quorums), maekawa.Asking(arbiter), sanders.New(sanders.FourNodes()), caosinghal.New(quorums),
		echo.New(topology.Grid(2, 2)), echo.NewTree(topology.Star(4)),
		suzukikasami.New, ricartagrawala1983.New, naimitrehel.New, snepscheut.New(snepscheut.Graph(4)),
	}
	entered := 0
	for _, a := range all {
		c := cluster.New(4, a)
		for i := range c.Processes() {
			if err := c.LockContext(context.Background(), i); err != nil {
				fmt.Println(err)
				continue
			}
			entered++
			c.Unlock(i)
		}
		c.Close()
	}
	fmt.Println(len(all), "locks for 4 nodes, which entered", entered, "times")
	// Output: 20 locks for 4 nodes, which entered 80 times
}

// A caller aborts while another is inside. A call on a closed cluster returns
// ErrClosed.
func Example_closed() {
	c := cluster.New(3, ricartagrawala.New)
	c.Node(0).Lock()
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	fmt.Println(c.Node(1).LockContext(ctx))
	c.Close()
	fmt.Println(errors.Is(c.Node(2).LockContext(context.Background()), cluster.ErrClosed))
	// Output:
	// context deadline exceeded
	// true
}

// The request set of each node of an information structure, and its status set: the
// nodes that inform it of their exits.
func Example_structure() {
	s := sanders.FourNodes()
	for i := range messaging.ID(s.Nodes()) {
		fmt.Printf("node %d asks %v and is informed by %v\n", i, s.Request[i], s.Status(i))
	}
	// Output:
	// node 0 asks [0 1] and is informed by [0 2 3]
	// node 1 asks [0 1] and is informed by [1 2 3]
	// node 2 asks [0 1 2] and is informed by [2]
	// node 3 asks [0 1 3] and is informed by [3]
}
