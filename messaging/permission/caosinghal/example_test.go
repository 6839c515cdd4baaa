package caosinghal_test

import (
	"fmt"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/caosinghal"
	"example.org/doorway/messaging/permission/maekawa"
	"example.org/doorway/messaging/permission/quorum"
	"example.org/doorway/messaging/sim"
)

// Node 5 waits while node 3 is inside; node 0 arbitrates between them. When node 3
// leaves, Maekawa's algorithm returns the lock to node 0 first; here it is
// forwarded to node 5 directly. An uncontended entry costs the same.
func ExampleNew() {
	quorums, err := quorum.Sets([][]messaging.ID{
		{0, 1, 2}, {1, 3, 5}, {2, 4, 5}, {0, 3, 4}, {1, 4, 6}, {0, 5, 6}, {2, 3, 6},
	})
	if err != nil {
		panic(err)
	}
	for _, a := range []struct {
		name      string
		algorithm messaging.Algorithm
	}{
		{"Maekawa", maekawa.New(quorums)},
		{"Cao-Singhal", caosinghal.New(quorums)},
	} {
		c := sim.Config{Algorithm: a.algorithm, Nodes: quorums.Nodes(), Load: sim.Script{{Node: 3}}}
		alone, err := sim.Run(c)
		if err != nil {
			panic(err)
		}
		c.Load = sim.Script{{Node: 3, Stay: 9 * sim.T}, {Node: 5, At: 4 * sim.T}}
		two, err := sim.Run(c)
		if err != nil {
			panic(err)
		}
		fmt.Printf("%s: %d messages uncontended, synchronization delay in T: %g\n", a.name, alone.Messages, two.SyncDelay.Mean)
	}
	// Output:
	// Maekawa: 6 messages uncontended, synchronization delay in T: 2
	// Cao-Singhal: 6 messages uncontended, synchronization delay in T: 1
}
