package caosinghal_test

import (
	"fmt"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/caosinghal"
	"example.org/doorway/messaging/maekawa"
	"example.org/doorway/messaging/quorum"
)

// Node 5 waits while node 3 is inside; node 0 decides between them. When node 3
// leaves, in Maekawa's algorithm the lock goes back to node 0 first, and here
// straight to node 5. Alone, an entry costs the same.
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
		alone := newRounds(a.algorithm, quorums.Nodes()).together(3)
		r := newRounds(a.algorithm, quorums.Nodes())
		r.enter(3)
		r.ask(5)
		fmt.Printf("%s: %d messages alone, message delays from exit to entry: %d\n", a.name, alone, r.handOver(3, 5))
	}
	// Output:
	// Maekawa: 6 messages alone, message delays from exit to entry: 2
	// Cao-Singhal: 6 messages alone, message delays from exit to entry: 1
}
