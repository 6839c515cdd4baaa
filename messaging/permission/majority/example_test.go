package majority_test

import (
	"fmt"

	"example.org/doorway/internal/node/host"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/majority"
)

// Node 3 of five asks two others, 4 and 0. It does not need the votes of 1 and 2.
func Example() {
	s := host.NewSite(majority.New, messaging.Start{Self: 3, Nodes: 5}, nil)
	s.Request()
	var votes []messaging.Message
	for _, m := range s.Sends {
		fmt.Printf("3 to %d: %s%+v\n", m.To, messaging.Kind(m.Message), m.Message)
		voter := host.NewSite(majority.New, messaging.Start{Self: m.To, Nodes: 5}, nil)
		voter.Receive(3, m.Message)
		vote := voter.Sends[0].Message
		fmt.Printf("%d to 3: %s%+v\n", m.To, messaging.Kind(vote), vote)
		votes = append(votes, vote)
	}
	fmt.Println("3 is", s.Phase())
	s.Receive(4, votes[0])
	fmt.Println("3 is", s.Phase())
	s.Receive(0, votes[1])
	fmt.Println("3 is", s.Phase())
	// Output:
	// 3 to 4: REQUEST{Of:{Time:1 ID:3}}
	// 4 to 3: LOCKED{To:{Time:1 ID:3}}
	// 3 to 0: REQUEST{Of:{Time:1 ID:3}}
	// 0 to 3: LOCKED{To:{Time:1 ID:3}}
	// 3 is waiting
	// 3 is waiting
	// 3 is inside
}
