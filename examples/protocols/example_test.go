// Package protocols_test has all algorithms that pass messages side by side.
package protocols_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/caosinghal"
	"example.org/doorway/messaging/permission/central"
	"example.org/doorway/messaging/permission/lamport"
	"example.org/doorway/messaging/permission/maekawa"
	"example.org/doorway/messaging/permission/majority"
	"example.org/doorway/messaging/permission/quorum"
	"example.org/doorway/messaging/permission/ricartagrawala"
	"example.org/doorway/messaging/permission/roucairolcarvalho"
	"example.org/doorway/messaging/permission/sanders"
)

// The kinds of messages of each algorithm: the more it has, the more has to be put
// right when requests are granted out of order. Majority voting is Maekawa's algorithm.
func Example_messages() {
	for _, kinds := range [][]messaging.Message{
		central.Kinds(), lamport.Kinds(), ricartagrawala.Kinds(), ricartagrawala.AcknowledgedKinds(),
		roucairolcarvalho.Kinds(), majority.Kinds(), maekawa.Kinds(), sanders.Kinds(), caosinghal.Kinds(),
	} {
		fmt.Print(len(kinds), ":")
		for _, m := range kinds {
			fmt.Printf(" %T", m)
		}
		fmt.Println()
	}
	// Output:
	// 4: central.Request central.Reply central.Release central.Cancel
	// 3: lamport.Request lamport.Reply lamport.Release
	// 2: ricartagrawala.Request ricartagrawala.Reply
	// 5: ricartagrawala.Request ricartagrawala.Grant ricartagrawala.Deferred ricartagrawala.Acknowledge ricartagrawala.Tick
	// 2: roucairolcarvalho.Request roucairolcarvalho.Reply
	// 6: maekawa.Request maekawa.Locked maekawa.Failed maekawa.Inquire maekawa.Relinquish maekawa.Release
	// 6: maekawa.Request maekawa.Locked maekawa.Failed maekawa.Inquire maekawa.Relinquish maekawa.Release
	// 6: sanders.Request sanders.Locked sanders.Release sanders.Failed sanders.Inquire sanders.Relinquish
	// 6: caosinghal.Request caosinghal.Locked caosinghal.Failed caosinghal.Transfer caosinghal.Yield caosinghal.Release
}

// Each algorithm is a lock for the nodes of a cluster.
func Example_clusters() {
	quorums, err := quorum.New(4)
	if err != nil {
		panic(err)
	}
	arbiter := func(messaging.Start, func(n int) int) []messaging.ID { return []messaging.ID{2} }
	for _, a := range []struct {
		name      string
		algorithm messaging.Algorithm
	}{
		{"central", central.New},
		{"lamport", lamport.New},
		{"lamport, with fewer replies", lamport.NewSuppressed},
		{"ricartagrawala", ricartagrawala.New},
		{"ricartagrawala, which notices crashes", ricartagrawala.NewFaultTolerant()},
		{"roucairolcarvalho", roucairolcarvalho.New},
		{"roucairolcarvalho, which withdraws", roucairolcarvalho.NewWithdrawing},
		{"majority", majority.New},
		{"majority, chosen anew for each request", majority.NewChoosing},
		{"maekawa", maekawa.New(quorums)},
		{"maekawa, with one arbiter for all", maekawa.Asking(arbiter)},
		{"sanders", sanders.New(sanders.FourNodes())},
		{"caosinghal", caosinghal.New(quorums)},
	} {
		c := messaging.NewCluster(4, a.algorithm)
		entered := 0
		for i := range c.Processes() {
			if err := c.LockContext(context.Background(), i); err != nil {
				fmt.Println(err)
				continue
			}
			entered++
			c.Unlock(i)
		}
		c.Close()
		fmt.Printf("%s: %d nodes have entered\n", a.name, entered)
	}
	// Output:
	// central: 4 nodes have entered
	// lamport: 4 nodes have entered
	// lamport, with fewer replies: 4 nodes have entered
	// ricartagrawala: 4 nodes have entered
	// ricartagrawala, which notices crashes: 4 nodes have entered
	// roucairolcarvalho: 4 nodes have entered
	// roucairolcarvalho, which withdraws: 4 nodes have entered
	// majority: 4 nodes have entered
	// majority, chosen anew for each request: 4 nodes have entered
	// maekawa: 4 nodes have entered
	// maekawa, with one arbiter for all: 4 nodes have entered
	// sanders: 4 nodes have entered
	// caosinghal: 4 nodes have entered
}

// A caller gives up while another is inside; and whoever waits when the cluster closes
// is told so.
func Example_closed() {
	c := messaging.NewCluster(3, ricartagrawala.New)
	c.Node(0).Lock()
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	fmt.Println(c.Node(1).LockContext(ctx))
	c.Close()
	fmt.Println(errors.Is(c.Node(2).LockContext(context.Background()), messaging.ErrClosed))
	// Output:
	// context deadline exceeded
	// true
}

// Whom each node of an information structure asks before it enters, and its status set:
// those that tell it when they leave.
func Example_structure() {
	s := sanders.FourNodes()
	for i := range messaging.ID(s.Nodes()) {
		fmt.Printf("node %d asks %v, and is told by %v\n", i, s.Request[i], s.Status(i))
	}
	// Output:
	// node 0 asks [0 1], and is told by [0 2 3]
	// node 1 asks [0 1], and is told by [1 2 3]
	// node 2 asks [0 1 2], and is told by [2]
	// node 3 asks [0 1 3], and is told by [3]
}
