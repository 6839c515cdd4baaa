package messaging_test

import (
	"fmt"
	"slices"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/cluster"
	"example.org/doorway/messaging/permission/intervals"
	"example.org/doorway/messaging/permission/ricartagrawala"
	"example.org/doorway/messaging/permission/roucairolcarvalho"
	"example.org/doorway/messaging/sim"
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

	c := cluster.New(len(bookings), court)
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

// A node that is a Survivor continues without crashed nodes, and reports their
// removal.
func ExampleSurvivor() {
	patient := ricartagrawala.NewAcknowledged(3*sim.T, 6*sim.T)
	_, survives := messaging.As[messaging.Survivor](patient(messaging.Start{Nodes: 2}))
	fmt.Println("survives:", survives)
	_, err := sim.Run(sim.Config{
		Algorithm: patient, Nodes: 2, Load: sim.Script{{Node: 0, At: 2 * sim.T}},
		Crashes: []sim.Crash{{Node: 1, At: 3 * sim.T}},
		Observe: func(e messaging.Event) {
			if removed, is := e.Message.(messaging.Removed); is {
				fmt.Println("node", e.From, "removes node", removed.Node)
			} else if e.Action == "sent" || e.Action == "entered" {
				fmt.Println("node", e.From, e.Action)
			}
		},
	})
	fmt.Println(err)
	// Output:
	// survives: true
	// node 0 sent
	// node 0 sent
	// node 0 entered
	// node 0 removes node 1
	// <nil>
}

// A request that is aborted is withdrawn if the node is a Withdrawer; otherwise it is absorbed.
func ExampleWithdrawer() {
	for _, a := range []messaging.Algorithm{ricartagrawala.New, roucairolcarvalho.New} {
		_, can := messaging.As[messaging.Withdrawer](a(messaging.Start{Nodes: 2}))
		run, err := sim.Start(sim.Config{Algorithm: a, Nodes: 2, Load: sim.Script{{Node: 1, GiveUp: sim.T / 2}}})
		if err != nil {
			fmt.Println(err)
			return
		}
		phases := []messaging.Phase{messaging.Idle}
		for run.Next() {
			if now := run.Node(1).Phase; now != phases[len(phases)-1] {
				phases = append(phases, now)
			}
		}
		fmt.Printf("can withdraw: %t %v\n", can, phases)
		fmt.Println("waits first:", phases[1] == messaging.Waiting, "and then absorbs:", phases[2] == messaging.Absorbing)
	}
	// Output:
	// can withdraw: true [idle waiting idle]
	// waits first: true and then absorbs: false
	// can withdraw: false [idle waiting giving up idle]
	// waits first: true and then absorbs: true
}
