package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.org/doorway/internal/node/host"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/cluster"
	"example.org/doorway/messaging/election"
	"example.org/doorway/messaging/election/bully"
	"example.org/doorway/messaging/permission/ricartagrawala"
)

// A store is a resource with fencing: it refuses what comes with an older token than it has
// seen.
type store struct {
	latest messaging.Token
	value  string
}

func (s *store) Write(token messaging.Token, value string) error {
	if token.Before(s.latest) {
		return fmt.Errorf("token %v is older than %v", token, s.latest)
	}
	s.latest, s.value = token, value
	return nil
}

// The user of a node is slow, and meanwhile the node has crashed for the others: one of them
// enters. The store refuses what the slow one still writes, by its token.
func ExampleToken() {
	c := cluster.New(3, ricartagrawala.NewFaultTolerant())
	defer c.Close()
	var s store

	c.Lock(0)
	slow := c.Token(0)
	fmt.Println("node 0 writes:", s.Write(slow, "a"))
	c.Crash(0)

	c.Lock(1)
	fmt.Println("node 1 writes:", s.Write(c.Token(1), "b"))
	c.Unlock(1)

	fmt.Println("node 0 writes:", s.Write(slow, "c"))
	c.Unlock(0) // does nothing: its entry is over
	fmt.Println("stored:", s.value)
	// Output:
	// node 0 writes: <nil>
	// node 1 writes: <nil>
	// node 0 writes: token 0.1 is older than 0.2
	// stored: b
}

// Nodes of an algorithm that survives crashes go on when one is lost, also in its critical
// section, and their tokens go on growing.
func ExampleCluster_Crash() {
	c := cluster.New(4, ricartagrawala.NewFaultTolerant(), cluster.Observe(func(e messaging.Event) {
		switch e.Action {
		case "crashed":
			fmt.Println("node", e.From, "crashes")
		case "emitted":
			fmt.Println("node", e.From, "removes node", e.Message.(messaging.Removed).Node)
		}
	}))
	defer c.Close()
	visit := func(i int) {
		c.Lock(i)
		defer c.Unlock(i)
		fmt.Println("node", i, "enters with token", c.Token(i))
	}
	visit(0)
	visit(1)
	c.Lock(2)
	fmt.Println("node 2 enters with token", c.Token(2))
	c.Crash(2)
	visit(3)
	visit(0)
	// Output:
	// node 0 enters with token 0.1
	// node 1 enters with token 0.2
	// node 2 enters with token 0.3
	// node 2 crashes
	// node 0 removes node 2
	// node 1 removes node 2
	// node 3 removes node 2
	// node 3 enters with token 0.4
	// node 0 enters with token 0.5
}

// A node is stopped when its users have left, and starts again later. Meanwhile, whoever wants to
// lock it gets an error.
func ExampleCluster_Stop() {
	ctx := context.Background()
	c := cluster.New(3, bully.New(time.Second, 3*time.Second))
	defer c.Close()
	fmt.Println("stop:", c.Stop(ctx, 2))
	err := c.Input(2, election.Hold{})
	fmt.Println("down:", errors.Is(err, cluster.ErrDown))
	c.Restart(2)
	fmt.Println("up:", c.Input(2, election.Hold{}))
	// Output:
	// stop: <nil>
	// down: true
	// up: <nil>
}

// What has to end with a cluster, whatever closes it, waits for that.
func ExampleCluster_Done() {
	c := cluster.New(3, ricartagrawala.New)
	ended := make(chan error)
	go func() {
		<-c.Done()
		ended <- c.Err()
	}()
	c.Close()
	fmt.Println(<-ended)
	// Output: cluster: the cluster is closed
}

// A regenerated token of a token ring: the node is in the epoch of the token that it holds.
type member struct {
	start   messaging.Start
	Waiting bool
	Current uint64 // the epoch
}

// Privilege is the token of an epoch.
type Privilege struct{ Epoch uint64 }

func (n *member) Epoch() uint64         { return n.Current }
func (n *member) Request(messaging.Out) { n.Waiting = true }
func (n *member) Release(messaging.Out) {}

func (n *member) Receive(_ messaging.ID, m messaging.Message, out messaging.Out) {
	n.Current = max(n.Current, m.(Privilege).Epoch)
	if n.Waiting {
		n.Waiting = false
		out.Enter()
	}
}

// A host carries the clock of entries on each message, and a node tells its epoch: so the
// entry in the new epoch has the larger token, though it knows of no entry.
func ExampleEpocher() {
	site := func(i messaging.ID) *host.Site {
		return host.NewSite(func(s messaging.Start) messaging.Node { return &member{start: s} }, messaging.Start{Self: i, Nodes: 3}, nil)
	}
	a, b, c := site(0), site(1), site(2)
	enter := func(s *host.Site, p Privilege) {
		s.Request()
		s.Receive(0, p)
		fmt.Println("enters with", s.Token())
		s.Release()
	}
	var _ messaging.Epocher = new(member)
	enter(a, Privilege{Epoch: 1})
	b.Witness(a.Entries()) // with a message from a
	enter(b, Privilege{Epoch: 1})
	enter(c, Privilege{Epoch: 2})
	fmt.Println(b.Token().Before(c.Token()))
	// Output:
	// enters with 1.1
	// enters with 1.2
	// enters with 2.1
	// true
}
