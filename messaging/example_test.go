package messaging_test

import (
	"fmt"
	"sync"
	"sync/atomic"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/ricartagrawala"
)

func Example() {
	var messages atomic.Int64
	cluster := messaging.NewCluster(5, ricartagrawala.New, messaging.Observe(func(e messaging.Event) {
		if e.Action == "sent" {
			messages.Add(1)
		}
	}))
	defer cluster.Close()

	visits := 0
	var wg sync.WaitGroup
	for i := range 5 {
		wg.Go(func() {
			for range 100 {
				cluster.Lock(i)
				visits++
				cluster.Unlock(i)
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
