package messaging_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/intervals"
	"example.org/doorway/messaging/permission/lamport"
	"example.org/doorway/messaging/permission/majority"
	"example.org/doorway/messaging/permission/ricartagrawala"
	"example.org/doorway/messaging/permission/roucairolcarvalho"
	"example.org/doorway/messaging/topology"
)

// Typical state of a node: the set of nodes that have replied, the ordered
// requests, and the clock.
func ExampleSet() {
	waiting := messaging.SetOf(1, 2, 3)
	waiting.Remove(2)
	waiting.Add(0)
	fmt.Println("waits for", slices.Collect(waiting.All()), "of them", waiting.Len(), "with 2:", waiting.Has(2))

	var clock messaging.Clock
	mine := clock.Tick(0)
	clock.Witness(messaging.Stamp{Time: 4, ID: 2})
	again := clock.Tick(0)
	fmt.Println("stamps", mine, "and", again, "in this order:", mine.Before(again))
	fmt.Println("no stamp is the zero one:", mine.IsZero())
	// Output:
	// waits for [0 1 3] of them 3 with 2: false
	// stamps {1 0} and {5 0} in this order: true
	// no stamp is the zero one: false
}

// Of three bookings of a tennis court, the first and the last do not intersect, so two nodes of
// the cluster are inside at the same time. A host that checks exclusion asks which of them
// exclude each other.
func ExampleSharer() {
	bookings := []intervals.Interval{{From: 10, To: 12}, {From: 11, To: 13}, {From: 12, To: 14}}
	court := intervals.New(bookings)
	node := court(messaging.Start{Self: 0, Nodes: len(bookings)})
	if s, ok := messaging.As[messaging.Sharer](node); ok {
		fmt.Println("node 0 excludes 1:", s.Excludes(1), "and 2:", s.Excludes(2))
	}

	c := messaging.NewCluster(len(bookings), court)
	defer c.Close()
	c.Lock(0)
	c.Lock(2)
	fmt.Println("0 and 2 are inside; 1 can enter:", c.TryLock(1))
	c.Unlock(0)
	c.Unlock(2)
	fmt.Println("they have left; 1 can enter:", c.TryLock(1))
	// Output:
	// node 0 excludes 1: true and 2: false
	// 0 and 2 are inside; 1 can enter: false
	// they have left; 1 can enter: true
}

// A custom host carries out the effects of its nodes: here all messages are in one
// queue.
func ExampleSite() {
	type message struct {
		from messaging.ID
		messaging.Send
	}
	var sites []*messaging.Site
	var mailbox []message
	carryOut := func(i messaging.ID) {
		for _, s := range sites[i].Sends {
			mailbox = append(mailbox, message{i, s})
		}
		sites[i].Done()
	}
	for i := range messaging.ID(3) {
		sites = append(sites, messaging.NewSite(lamport.New, messaging.Start{Self: i, Nodes: 3}, nil))
	}
	for _, i := range []messaging.ID{2, 1} {
		sites[i].Request()
		carryOut(i)
	}
	for len(mailbox) > 0 {
		m := mailbox[0]
		mailbox = mailbox[1:]
		before := sites[m.To].Phase()
		sites[m.To].Receive(m.from, m.Message)
		if now := sites[m.To].Phase(); now != before {
			fmt.Println("node", m.To, "was", before, "and is", now)
		}
		carryOut(m.To)
		if sites[m.To].Phase() == messaging.Inside {
			sites[m.To].Release()
			carryOut(m.To)
		}
	}
	fmt.Println(sites[0].Phase() == messaging.Idle, sites[1].Phase(), sites[2].Phase())
	// Output:
	// node 1 was waiting and is inside
	// node 2 was waiting and is inside
	// true idle idle
}

// A node that is a Survivor continues without crashed nodes, and reports their
// removal.
func ExampleSurvivor() {
	patient := ricartagrawala.NewAcknowledged(time.Second, 2*time.Second)
	site := messaging.NewSite(patient, messaging.Start{Self: 0, Nodes: 2}, nil)
	_, survives := messaging.As[messaging.Survivor](site.Node())
	fmt.Println("survives:", survives)

	site.Request()
	did := site.Effects    // *messaging.Effects
	timer := did.Timers[0] // a messaging.Timer
	fmt.Println("sends", messaging.Kind(did.Sends[0].Message), "and looks again after", timer.After)
	site.Done()

	site.Down(1)
	removed := site.Emits[0].(messaging.Removed)
	fmt.Println("is", site.Phase(), "without node", removed.Node)
	// Output:
	// survives: true
	// sends REQUEST and looks again after 1s
	// is inside without node 1
}

// An aborted request is withdrawn if the node is a Withdrawer; otherwise it is
// absorbed.
func ExampleSite_Withdraw() {
	for _, a := range []messaging.Algorithm{ricartagrawala.New, roucairolcarvalho.New} {
		site := messaging.NewSite(a, messaging.Start{Self: 1, Nodes: 2}, nil)
		site.Request()
		waits := site.Phase() == messaging.Waiting
		site.Withdraw()
		_, can := site.Node().(messaging.Withdrawer)
		fmt.Println("waited:", waits, "can withdraw:", can, "is absorbing:", site.Phase() == messaging.Absorbing)
	}
	// Output:
	// waited: true can withdraw: true is absorbing: false
	// waited: true can withdraw: false is absorbing: true
}

// The choices of a node are determined by the seed.
func ExampleSeed() {
	cluster := messaging.NewCluster(5, majority.NewChoosing, messaging.Seed(1))
	defer cluster.Close()
	cluster.Lock(3)
	fmt.Println("node 3 is inside, by a majority of its choice")
	cluster.Unlock(3)
	// Output: node 3 is inside, by a majority of its choice
}

// Messages are delayed at random and overtake each other, so that tests see more
// schedules. A closed cluster admits no node.
func ExampleScramble() {
	cluster := messaging.NewCluster(3, lamport.New, messaging.Scramble(7))
	node := cluster.Node(1)
	node.Lock()
	fmt.Println("node 1 is inside")
	node.Unlock()
	cluster.Close()

	err := node.LockContext(context.Background())
	fmt.Println(errors.Is(err, messaging.ErrClosed), err)
	// Output:
	// node 1 is inside
	// true messaging: the cluster is closed
}

// A node around another finds the links of that: here it has a line.
func ExampleStart_Linked() {
	around := func(a messaging.Algorithm) messaging.Algorithm {
		return func(s messaging.Start) messaging.Node {
			within := a(s)
			fmt.Println("node", s.Self, "has links to", slices.Collect(s.Linked()))
			return within
		}
	}
	messaging.NewSite(around(messaging.On(topology.Line(3), ricartagrawala.New)), messaging.Start{Self: 2, Nodes: 3}, nil)
	// Output: node 2 has links to [1]
}
