package sim_test

import (
	"fmt"
	"os"
	"strings"

	"example.org/doorway/messaging/sim"
)

// Three nodes ask at the same time, and each quorum has one member in common with the
// next: S1 has locked itself and needs S2, which has locked itself and needs S3,
// which has locked itself and needs S1.
const circle = `
nodes 3
set S1 = S1 S2
set S2 = S2 S3
set S3 = S3 S1
at 0 S1 asks
at 0 S2 asks
at 0 S3 asks
`

// S1 tells S3 that an older request goes first, and S3 yields its own lock to S2: else the three
// nodes would wait forever.
func ExampleScenario_Run() {
	s, err := sim.ReadScenario("circle", strings.NewReader(circle+"algorithm maekawa"))
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := s.Run(os.Stdout, lookup); err != nil {
		fmt.Println(err)
	}
	// Output:
	// S2 asks at 0, enters at 3, leaves at 4
	// S1 asks at 0, enters at 5, leaves at 6
	// S3 asks at 0, enters at 7, leaves at 8
	//
	// 10 messages, 3.333 per entry
	//      3 REQUEST
	//      1 FAILED
	//      3 LOCKED
	//      3 RELEASE
}

// An error gives the line and what was expected there.
func ExampleReadScenario() {
	_, err := sim.ReadScenario("circle.txt", strings.NewReader(circle+"at 3 S4 asks"))
	fmt.Println(err)
	// Output: circle.txt:9: expected a node, S1 to S3, found "S4"
}
