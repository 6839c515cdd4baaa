package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/cluster"
	"example.org/doorway/messaging/permission/lamport"
	"example.org/doorway/messaging/permission/ricartagrawala"
)

func Example() {
	var messages atomic.Int64
	c := cluster.New(5, ricartagrawala.New, cluster.Observe(func(e messaging.Event) {
		if e.Action == "sent" {
			messages.Add(1)
		}
	}))
	defer c.Close()

	visits := 0
	var wg sync.WaitGroup
	for i := range 5 {
		wg.Go(func() {
			for range 100 {
				c.Lock(i)
				visits++
				c.Unlock(i)
			}
		})
	}
	wg.Wait()
	fmt.Println("visits:", visits)
	fmt.Println("messages per visit:", messages.Load()/int64(visits))
	// Output:
	// visits: 500
	// messages per visit: 8
}

// Messages are delayed at random and overtake each other, so that tests see more
// schedules. A closed cluster admits no node.
func ExampleScramble() {
	c := cluster.New(3, lamport.New, cluster.Scramble(7))
	node := c.Node(1)
	node.Lock()
	fmt.Println("node 1 is inside")
	node.Unlock()
	c.Close()

	err := node.LockContext(context.Background())
	fmt.Println(errors.Is(err, cluster.ErrClosed), err)
	// Output:
	// node 1 is inside
	// true cluster: the cluster is closed
}
