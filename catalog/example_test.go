package catalog_test

import (
	"fmt"
	"os"
	"strings"

	"example.org/doorway/catalog"
	"example.org/doorway/explore"
	"example.org/doorway/messaging"
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
	// bakery 0 <nil>
	// bakery-classic 0 <nil>
	// bakery-blackwhite 0 <nil>
	// bakery-simple 0 <nil>
}

// The rules of a lecture are refuted; the corrected ones are not.
func ExampleProtocol() {
	for _, name := range []string{"maekawa/no-deadlock-handling", "maekawa"} {
		a, err := catalog.Protocol(name, 2)
		if err != nil {
			fmt.Println(err)
			return
		}
		r, err := explore.CheckNodes(explore.NodesConfig{New: a, Nodes: 2, Name: name})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(name, "is free of deadlock:", r.DeadlockFree.Status)
		if h := r.DeadlockFree.History; h != nil {
			fmt.Print(h)
			fmt.Println("scenario:", h.Scenario)
		}
	}
	// Output:
	// maekawa/no-deadlock-handling is free of deadlock: fails
	// deadlock: a request is pending and no message is in transit
	// node 0 requests
	// node 0 gets Request{Of: (1, 0)} from itself
	// node 0 gets Locked{To: (1, 0)} from itself
	// node 1 requests
	// node 1 gets Request{Of: (1, 1)} from itself
	// node 1 gets Locked{To: (1, 1)} from itself
	// node 0 gets Request{Of: (1, 1)} from 1
	// node 1 gets Request{Of: (1, 0)} from 0
	// scenario: version 1; nodes 2; algorithm maekawa/no-deadlock-handling; rules bc19b586; run a0.a1.d2.d1
	// maekawa is free of deadlock: holds
}

// A cluster of any protocol is a lock.
func ExampleProtocols() {
	name := catalog.Protocols()[0]
	a, err := catalog.Protocol(name, 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	cluster := messaging.NewCluster(3, a)
	defer cluster.Close()
	cluster.Lock(2)
	fmt.Println(name, cluster.TryLock(1))
	cluster.Unlock(2)
	// Output: central false
}

// A scenario names its algorithm; here it has the rules that the slides print.
func ExampleScenario() {
	s, err := sim.ReadScenario("two.txt", strings.NewReader("nodes 2\nalgorithm sanders/printed\nat 0 S1 asks\nat 0 S2 asks\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := s.Run(os.Stdout, catalog.Scenario); err != nil {
		fmt.Println(err)
	}
	// Output:
	// S1 asks at 0, still waits
	// S2 asks at 0, still waits
	//
	// 2 messages
	//      2 REQUEST
	//
	// fails at 1: deadlock: a request is pending and no message is in transit: S1, S2
}
