package viewchange_test

import (
	"fmt"

	"example.org/doorway/examples/viewchange"
)

// If no server need ever notice that the primary has crashed, a client may wait forever.
func Example() {
	design := viewchange.Design{Majority: true, Latest: true, Promise: true, Views: 2, Crashes: 1}
	report, err := design.Check()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(report)
	fmt.Print(report.Leads["client 1 gets the lock"].History)
	// Output:
	// 854 states, 2078 events between them
	//   invariant                                     holds
	//   deadlock-free                                 holds
	//   client 0 gets the lock                        fails, in 2 events
	//   client 1 gets the lock                        fails, in 2 events
	// client 1 gets the lock: not in this run, which may end here
	// initially         idle idle | views 0 0 0
	// client 1 asks     idle waits | views 0 0 0
	// server 0 crashes  idle waits | views - 0 0
}
