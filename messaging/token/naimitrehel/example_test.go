package naimitrehel_test

import (
	"fmt"
	"os"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
	"example.org/doorway/messaging/token/naimitrehel"
)

// Nodes drawn at random enter one after the other. A hundred times as many nodes take
// five messages more.
func ExampleNew() {
	for _, n := range []int{10, 100, 1000} {
		r, err := sim.Run(sim.Config{
			Algorithm: naimitrehel.New, Nodes: n, Load: sim.LowLoad{Random: true}, Entries: 200 * n,
		})
		if err != nil {
			fmt.Println(err)
		}
		harmonic := 0.0
		for k := 1; k < n; k++ {
			harmonic += 1 / float64(k)
		}
		fmt.Printf("%d nodes: %.1f messages an entry, H(N-1) = %.1f\n", n, r.PerEntry, harmonic)
	}
	// Output:
	// 10 nodes: 2.8 messages an entry, H(N-1) = 2.8
	// 100 nodes: 5.2 messages an entry, H(N-1) = 5.2
	// 1000 nodes: 7.5 messages an entry, H(N-1) = 7.5
}

// The worst tree is a path: the request of S1 passes all other nodes. But then they all
// have S1 as their father, and S3 is one step away.
func ExampleNewTree() {
	path := naimitrehel.NewTree([]messaging.ID{1, 2, 3, naimitrehel.None})
	_, err := sim.Run(sim.Config{
		Algorithm: path,
		Nodes:     4,
		Load:      sim.Script{{Node: 0}, {Node: 2, At: 10 * sim.T}},
		Observe:   sim.Trace(os.Stdout),
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// 0       S1 asks
	// 0       S1 sends REQUEST(S1) to S2
	// 1       S2 gets REQUEST(S1) from S1
	// 1       S2 sends REQUEST(S1) to S3
	// 2       S3 gets REQUEST(S1) from S2
	// 2       S3 sends REQUEST(S1) to S4
	// 3       S4 gets REQUEST(S1) from S3
	// 3       S4 sends TOKEN to S1
	// 4       S1 gets TOKEN from S4
	// 4       S1 enters
	// 5       S1 leaves
	// 10      S3 asks
	// 10      S3 sends REQUEST(S3) to S1
	// 11      S1 gets REQUEST(S3) from S3
	// 11      S1 sends TOKEN to S3
	// 12      S3 gets TOKEN from S1
	// 12      S3 enters
	// 13      S3 leaves
}
