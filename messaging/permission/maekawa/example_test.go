package maekawa_test

import (
	"fmt"
	"os"
	"slices"
	"sync"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/maekawa"
	"example.org/doorway/messaging/permission/quorum"
	"example.org/doorway/messaging/sim"
)

// Node 0 asks itself and 1, node 1 itself and 2, node 2 itself and 0. All ask
// concurrently and get their own locks: this would be a deadlock, if node 0 did not
// reply FAILED to node 2, which then relinquishes its own lock to node 1. (Messages
// of a node to itself do not count and are not shown.)
func Example() {
	triangle, err := quorum.Plane(3)
	if err != nil {
		fmt.Println(err)
		return
	}
	var sites []*messaging.Site
	for i := range messaging.ID(3) {
		sites = append(sites, messaging.NewSite(maekawa.New(triangle), messaging.Start{Self: i, Nodes: 3}, nil))
		sites[i].Request()
	}
	for busy := true; busy; {
		busy = false
		for i, s := range sites {
			sends := slices.Clone(s.Sends)
			s.Done()
			for _, m := range sends {
				fmt.Printf("%d to %d: %T%+v\n", i, m.To, m.Message, m.Message)
				sites[m.To].Receive(messaging.ID(i), m.Message)
				busy = true
			}
			if s.Phase() == messaging.Inside {
				fmt.Println(i, "is inside")
				s.Release()
				busy = true
			}
		}
	}
	// Output:
	// 0 to 1: maekawa.Request{Of:{Time:1 ID:0}}
	// 1 to 2: maekawa.Request{Of:{Time:1 ID:1}}
	// 2 to 0: maekawa.Request{Of:{Time:1 ID:2}}
	// 0 to 2: maekawa.Failed{To:{Time:1 ID:2}}
	// 2 to 1: maekawa.Locked{To:{Time:1 ID:1}}
	// 1 is inside
	// 1 to 2: maekawa.Release{Of:{Time:1 ID:1}}
	// 1 to 0: maekawa.Locked{To:{Time:1 ID:0}}
	// 0 is inside
	// 0 to 1: maekawa.Release{Of:{Time:1 ID:0}}
	// 0 to 2: maekawa.Locked{To:{Time:1 ID:2}}
	// 2 is inside
	// 2 to 0: maekawa.Release{Of:{Time:1 ID:2}}
}

// A cluster of seven nodes, each of which asks two others.
func ExampleNew() {
	plane, err := quorum.New(7)
	if err != nil {
		fmt.Println(err)
		return
	}
	c := messaging.NewCluster(7, maekawa.New(plane))
	defer c.Close()
	ledger := 0
	var wg sync.WaitGroup
	for i := range 7 {
		wg.Go(func() {
			for range 100 {
				c.Lock(i)
				ledger += i
				c.Unlock(i)
			}
		})
	}
	wg.Wait()
	fmt.Println(ledger)
	// Output: 2100
}

// Node 0, S1 in the text of a run, asks S2 and S4, but S4 has crashed. When S1 is told of that,
// its request moves to another quorum: it asks S5 and S6, and enters 2 T later. (It no longer
// needs the lock of S2, and keeps it until it leaves.)
func ExampleNew_crash() {
	plane, err := quorum.New(7)
	if err != nil {
		fmt.Println(err)
		return
	}
	trace := sim.Trace(os.Stdout)
	_, err = sim.Run(sim.Config{
		Algorithm: maekawa.New(plane), Nodes: 7, Load: sim.Script{{Node: 0}},
		Crashes: []sim.Crash{{Node: 3}}, Detection: sim.Constant(3 * sim.T),
		Observe: func(e messaging.Event) {
			if e.From == 0 || e.To == 0 {
				trace(e)
			}
		},
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// 0       S1 asks
	// 0       S1 sends REQUEST(1,S1) to S2
	// 0       S1 sends REQUEST(1,S1) to S4
	// 1       S2 gets REQUEST(1,S1) from S1
	// 1       S2 sends LOCKED(1,S1) to S1
	// 1       REQUEST(1,S1) from S1 to S4 is lost
	// 2       S1 gets LOCKED(1,S1) from S2
	// 3       S1 learns of the crash of S4
	// 3       S1 sends REQUEST(1,S1) to S5
	// 3       S1 sends REQUEST(1,S1) to S6
	// 3       S1 emits REMOVED(S4)
	// 4       S5 gets REQUEST(1,S1) from S1
	// 4       S5 sends LOCKED(1,S1) to S1
	// 4       S6 gets REQUEST(1,S1) from S1
	// 4       S6 sends LOCKED(1,S1) to S1
	// 5       S1 gets LOCKED(1,S1) from S5
	// 5       S1 gets LOCKED(1,S1) from S6
	// 5       S1 enters
	// 6       S1 leaves
	// 6       S1 sends RELEASE(1,S1) to S2
	// 6       S1 sends RELEASE(1,S1) to S5
	// 6       S1 sends RELEASE(1,S1) to S6
	// 7       S2 gets RELEASE(1,S1) from S1
	// 7       S5 gets RELEASE(1,S1) from S1
	// 7       S6 gets RELEASE(1,S1) from S1
}
