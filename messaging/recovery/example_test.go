package recovery_test

import (
	"fmt"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/cluster"
	"example.org/doorway/messaging/permission/central"
	"example.org/doorway/messaging/recovery"
)

// The coordinator, node 0, crashes while nodes wait. Node 3 has the others begin anew, and they
// enter. When node 0 is back, so is its place among them.
func Example() {
	began := make(chan recovery.Began, 100)
	c := cluster.New(4, recovery.Over(central.Protocol, recovery.Config{}), cluster.Observe(func(e messaging.Event) {
		if b, ok := e.Message.(recovery.Began); ok && e.From == 3 {
			began <- b
		}
	}))
	defer c.Close()
	enter := func(i int) {
		node := c.Node(i)
		node.Lock()
		defer node.Unlock()
		fmt.Printf("node %d enters, token %v\n", i, node.Token())
	}

	enter(1)
	enter(2)
	c.Crash(0)
	fmt.Println("S1 crashes")
	enter(1)
	enter(2)
	fmt.Printf("epoch %d began with %v\n", (<-began).Epoch, []messaging.ID{1, 2, 3})
	c.Restart(0)
	fmt.Println("S1 starts again")
	enter(0)
	// Output:
	// node 1 enters, token 0.1
	// node 2 enters, token 0.2
	// S1 crashes
	// node 1 enters, token 3.3
	// node 2 enters, token 3.4
	// epoch 3 began with [1 2 3]
	// S1 starts again
	// node 0 enters, token 7.5
}
