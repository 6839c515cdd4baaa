package sanders_test

import (
	"fmt"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/sanders"
)

// Five nodes under three structures: the sets of node 3, and the messages of its
// entry.
func ExampleStructure() {
	for _, s := range []sanders.Structure{
		sanders.RicartAgrawala(5),
		sanders.Central(5, 0),
		sanders.Maekawa([][]messaging.ID{{0, 1, 2}, {1, 2, 3}, {2, 3, 4}, {3, 4, 0}, {4, 0, 1}}),
	} {
		fewest, most := s.Messages(3)
		fmt.Printf("asks %v, informs %v: %d messages uncontended, mostly at most %d\n", s.Request[3], s.Inform[3], fewest, most)
	}
	// Output:
	// asks [0 1 2 3 4], informs [3]: 8 messages uncontended, mostly at most 13
	// asks [3 0], informs [3 0]: 3 messages uncontended, mostly at most 8
	// asks [3 4 0], informs [3 4 0]: 6 messages uncontended, mostly at most 18
}

// Nodes 0 and 1 ask each other, so neither need inform the other. Node 1 does not
// ask node 2, so they must inform a common node.
func ExampleStructure_Check() {
	s := sanders.Structure{
		Request: [][]messaging.ID{{0, 1}, {0, 1}, {0, 1, 2}},
		Inform:  [][]messaging.ID{{0}, {1}, {0, 2}},
	}
	fmt.Println(s.Check())
	s.Inform[2] = []messaging.ID{0, 1, 2}
	fmt.Println(s.Check())
	// Output:
	// sanders: nodes 1 and 2 could both be inside: their inform sets [1] and [0 2] have no member in common, and they do not ask each other: their request sets are [0 1] and [0 1 2]
	// <nil>
}
