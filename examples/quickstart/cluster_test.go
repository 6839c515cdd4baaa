package main

import (
	"context"
	"fmt"

	"example.org/doorway/messaging/cluster"
	"example.org/doorway/messaging/permission/ricartagrawala"
)

// What the README shows of message passing.
func Example_cluster() {
	c := cluster.New(13, ricartagrawala.New)
	defer c.Close()
	l := c.Node(4) // a sync.Locker, safe for any number of goroutines
	if err := l.LockContext(context.Background()); err == nil {
		fmt.Println("node 4 is in the critical section")
		l.Unlock()
	}
	// Output: node 4 is in the critical section
}
