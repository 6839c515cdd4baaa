package maekawa_test

import (
	"fmt"
	"slices"
	"sync"

	"example.org/doorway/internal/node/host"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/cluster"
	"example.org/doorway/messaging/permission/maekawa"
	"example.org/doorway/messaging/permission/quorum"
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
	var sites []*host.Site
	for i := range messaging.ID(3) {
		sites = append(sites, host.NewSite(maekawa.New(triangle), messaging.Start{Self: i, Nodes: 3}, nil))
		sites[i].Request()
	}
	for busy := true; busy; {
		busy = false
		for i, s := range sites {
			sends := slices.Clone(s.Sends)
			s.Done()
			for _, m := range sends {
				fmt.Printf("%d to %d: %s%+v\n", i, m.To, messaging.Kind(m.Message), m.Message)
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
	// 0 to 1: REQUEST{Of:{Time:1 ID:0}}
	// 1 to 2: REQUEST{Of:{Time:1 ID:1}}
	// 2 to 0: REQUEST{Of:{Time:1 ID:2}}
	// 0 to 2: FAILED{To:{Time:1 ID:2}}
	// 2 to 1: LOCKED{To:{Time:1 ID:1}}
	// 1 is inside
	// 1 to 2: RELEASE{Of:{Time:1 ID:1}}
	// 1 to 0: LOCKED{To:{Time:1 ID:0}}
	// 0 is inside
	// 0 to 1: RELEASE{Of:{Time:1 ID:0}}
	// 0 to 2: LOCKED{To:{Time:1 ID:2}}
	// 2 is inside
	// 2 to 0: RELEASE{Of:{Time:1 ID:2}}
}

// A cluster of seven nodes, each of which asks two others.
func ExampleNew() {
	plane, err := quorum.New(7)
	if err != nil {
		fmt.Println(err)
		return
	}
	c := cluster.New(7, maekawa.New(plane))
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
