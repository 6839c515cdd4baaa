package singhal_test

import (
	"fmt"
	"os"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/ricartagrawala"
	"example.org/doorway/messaging/sim"
	"example.org/doorway/messaging/token/singhal"
)

// S1 has the token, of three sites. S2 asks it, and no other. The request of S3 finds the
// token at S2; S1 only notes that S3 wants it.
func ExampleNew() {
	_, err := sim.Run(sim.Config{
		Algorithm: singhal.New,
		Nodes:     3,
		Load:      sim.Script{{Node: 1}, {Node: 2, At: 10 * sim.T}},
		Observe:   sim.Trace(os.Stdout),
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// 0       S2 asks
	// 0       S2 sends REQUEST(1,S2) to S1
	// 1       S1 gets REQUEST(1,S2) from S2
	// 1       S1 sends TOKEN(TSV:[N R N],TSN:[0 1 0]) to S2
	// 2       S2 gets TOKEN(TSV:[N R N],TSN:[0 1 0]) from S1
	// 2       S2 enters
	// 3       S2 leaves
	// 10      S3 asks
	// 10      S3 sends REQUEST(1,S3) to S1
	// 10      S3 sends REQUEST(1,S3) to S2
	// 11      S1 gets REQUEST(1,S3) from S3
	// 11      S2 gets REQUEST(1,S3) from S3
	// 11      S2 sends TOKEN(TSV:[N N R],TSN:[0 1 1]) to S3
	// 12      S3 gets TOKEN(TSV:[N N R],TSN:[0 1 1]) from S2
	// 12      S3 enters
	// 13      S3 leaves
}

// A heuristic: at low load, a site that guesses well where the token is asks half of the
// others. The fewer users there are, the fewer it asks.
func Example() {
	for _, c := range []struct {
		name  string
		users []messaging.ID
	}{
		{"one of ten", []messaging.ID{7}},
		{"two", []messaging.ID{3, 7}},
		{"all", nil},
	} {
		fmt.Printf("%-12s", c.name)
		for _, a := range []messaging.Algorithm{ricartagrawala.New, singhal.New} {
			r, err := sim.Run(sim.Config{Algorithm: a, Nodes: 10, Load: sim.LowLoad{Users: c.users, Random: true}, Entries: 1000})
			if err != nil {
				fmt.Println(err)
			}
			fmt.Printf("%7.2f", r.PerEntry)
		}
		fmt.Println()
	}
	// Output:
	// one of ten    18.00   0.01
	// two           18.00   1.00
	// all           18.00   5.36
}

// All five sites ask at once. S1 has the token, enters, and on exit knows of one other
// request; S2 knows of all.
func Example_token() {
	var all sim.Script
	for i := range messaging.ID(5) {
		all = append(all, sim.Request{Node: i})
	}
	_, err := sim.Run(sim.Config{
		Algorithm: singhal.New, Nodes: 5, Load: all,
		Observe: func(e messaging.Event) {
			if e.Action == "delivered" && messaging.Kind(e.Message) == "TOKEN" {
				fmt.Println(e.Message)
			}
		},
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// {[N R N N N] [1 1 0 0 0]}
	// {[N N R R R] [1 1 1 1 1]}
	// {[N N N R R] [1 1 1 1 1]}
	// {[N N N N R] [1 1 1 1 1]}
}
