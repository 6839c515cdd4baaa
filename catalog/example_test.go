package catalog_test

import (
	"fmt"
	"os"
	"strings"

	"example.org/doorway/catalog"
	"example.org/doorway/explore"
	"example.org/doorway/messaging/cluster"
	"example.org/doorway/messaging/sim"
	"example.org/doorway/mutex"
	"example.org/doorway/stress"
)

// A name may come from a user, and may not exist.
func ExampleLock() {
	l, err := catalog.Lock("bakery-classic", 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	shared := mutex.Share(l)
	shared.Lock()
	fmt.Println("locked, while others try:", shared.TryLock())
	shared.Unlock()

	_, err = catalog.Lock("bakry", 3)
	fmt.Println(err)
	_, err = catalog.Lock("peterson", 3)
	fmt.Println(err)
	// Output:
	// locked, while others try: false
	// catalog: no lock "bakry": did you mean bakery?
	// catalog: peterson does not serve 3 processes
}

// Every correct lock satisfies mutual exclusion under stress.
func ExampleLocks() {
	for _, name := range catalog.Locks() {
		if strings.Contains(name, "/") {
			continue // it is wrong
		}
		l, err := catalog.Lock(name, 2)
		if err != nil {
			fmt.Println(err)
			return
		}
		r, err := stress.Run(l, stress.Config{Entries: 1000})
		fmt.Println(name, r.Violations, err)
	}
	// Output:
	// peterson 0 <nil>
	// tournament 0 <nil>
	// lamportfast 0 <nil>
	// graunkethakkar 0 <nil>
	// mcs 0 <nil>
	// bakery 0 <nil>
	// bakery-classic 0 <nil>
	// bakery-blackwhite 0 <nil>
	// bakery-simple 0 <nil>
}

// The corrected rules of a lecture are free of deadlock. What it prints is maekawa/no-deadlock-handling,
// which only the command has.
func ExampleProtocol() {
	a, err := catalog.Protocol("maekawa", 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := explore.CheckNodes(explore.NodesConfig{New: a, Nodes: 2, Name: "maekawa"})
	fmt.Println("free of deadlock:", r.DeadlockFree.Status, err)

	_, err = catalog.Protocol("maekawa/no-deadlock", 2)
	fmt.Println(err)
	// Output:
	// free of deadlock: holds <nil>
	// catalog: no protocol "maekawa/no-deadlock": did you mean maekawa/no-deadlock-handling?
}

// A cluster of any protocol is a lock.
func ExampleProtocols() {
	name := catalog.Protocols()[0]
	a, err := catalog.Protocol(name, 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	c := cluster.New(3, a)
	defer c.Close()
	c.Lock(2)
	fmt.Println(name, c.TryLock(1))
	c.Unlock(2)
	// Output: central false
}

// A scenario names its algorithm.
func ExampleScenario() {
	s, err := sim.ReadScenario("two.txt", strings.NewReader("nodes 2\nalgorithm sanders\nat 0 S1 asks\nat 0 S2 asks\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := s.Run(os.Stdout, catalog.Scenario); err != nil {
		fmt.Println(err)
	}
	// Output:
	// S1 asks at 0, enters at 3, leaves at 4
	// S2 asks at 0, enters at 5, leaves at 6
	//
	// 7 messages, 3.5 per entry
	//      2 REQUEST
	//      1 FAILED
	//      2 LOCKED
	//      2 RELEASE
}
