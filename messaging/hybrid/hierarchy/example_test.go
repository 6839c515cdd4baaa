package hierarchy_test

import (
	"fmt"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/cluster"
	"example.org/doorway/messaging/hybrid/hierarchy"
	"example.org/doorway/messaging/permission/central"
	"example.org/doorway/messaging/permission/ricartagrawala"
	"example.org/doorway/messaging/sim"
)

// Two sites of three machines each: a coordinator at each site, and Ricart and Agrawala's
// algorithm between the coordinators, who pass the lock on at most twice within the site.
func ExampleNew() {
	sites := [][]messaging.ID{{0, 1, 2}, {3, 4, 5}}
	a, err := hierarchy.New(sites, central.Protocol, ricartagrawala.Protocol, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	c := cluster.New(6, a)
	defer c.Close()
	c.Lock(4)
	fmt.Println("node 4 is inside")
	c.Unlock(4)

	report, err := sim.Run(sim.Config{Algorithm: a, Nodes: 6, Load: sim.HighLoad{}, Entries: 12, Order: true})
	if err != nil {
		fmt.Println(err)
	}
	for _, visit := range report.Order {
		fmt.Print("node ", visit.Node, ", ")
	}
	fmt.Printf("%.1f messages an entry\n", report.PerEntry)
	// Output:
	// node 4 is inside
	// node 0, node 1, node 2, node 3, node 4, node 5, node 0, node 1, node 2, node 3, node 4, node 5, 5.3 messages an entry
}

// A coordinator in each cluster of about √n nodes, and Ricart and Agrawala's algorithm
// among the coordinators.
func ExampleOf() {
	p := hierarchy.Of(central.Protocol, ricartagrawala.Protocol)
	fmt.Println(p.Name)
	for _, n := range []int{16, 256} {
		a, err := p.New(n)
		if err != nil {
			fmt.Println(err)
			return
		}
		low, _ := sim.Run(sim.Config{Algorithm: a, Nodes: n, Load: sim.LowLoad{}, Entries: n})
		high, _ := sim.Run(sim.Config{Algorithm: a, Nodes: n, Load: sim.HighLoad{}, Entries: 20 * n})
		fmt.Printf("%d nodes: %.1f messages an entry at low load, %.1f at high load\n", n, low.PerEntry, high.PerEntry)
	}
	// Output:
	// hierarchy-central-ricartagrawala
	// 16 nodes: 11.2 messages an entry at low load, 6.4 at high load
	// 256 nodes: 36.6 messages an entry at low load, 8.3 at high load
}
