package roucairolcarvalho_test

import (
	"fmt"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/ricartagrawala"
	"example.org/doorway/messaging/permission/roucairolcarvalho"
	"example.org/doorway/messaging/sim"
)

// Lasting permissions pay off if few of many nodes use the critical section.
func Example() {
	for _, c := range []struct {
		name  string
		users []messaging.ID
	}{
		{"one of ten", []messaging.ID{7}},
		{"two in turn", []messaging.ID{3, 7}},
		{"all in turn", nil},
	} {
		fmt.Printf("%-12s", c.name)
		for _, a := range []messaging.Algorithm{ricartagrawala.New, roucairolcarvalho.New, roucairolcarvalho.NewTriangle} {
			r, err := sim.Run(sim.Config{Algorithm: a, Nodes: 10, Load: sim.LowLoad{Users: c.users}, Entries: 1000})
			if err != nil {
				fmt.Println(err)
			}
			fmt.Printf("%7.2f", r.PerEntry)
		}
		fmt.Println()
	}
	// Output:
	// one of ten    18.00   0.02   0.01
	// two in turn   18.00   2.03   2.02
	// all in turn   18.00  18.00  17.91
}
