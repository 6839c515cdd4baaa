package graunkethakkar_test

import (
	"context"
	"fmt"
	"sync"

	"example.org/doorway/graunkethakkar"
)

// Process 1 aborts, wherever it is in the queue, and process 2 enters nonetheless.
func Example() {
	l := graunkethakkar.New(3)
	fmt.Println(l.Processes(), "processes, FIFO:", l.FIFO())
	l.Lock(0)
	fmt.Println("process 1 tries:", l.TryLock(1))
	ctx, cancel := context.WithCancel(context.Background())
	var waiting sync.WaitGroup
	waiting.Go(func() { fmt.Println("process 1 waits:", l.LockContext(ctx, 1)) })
	entered := make(chan bool)
	go func() {
		l.Lock(2)
		close(entered)
	}()
	cancel()
	waiting.Wait()
	l.Unlock(0)
	<-entered
	fmt.Println("process 2 is inside")
	// Output:
	// 3 processes, FIFO: true
	// process 1 tries: false
	// process 1 waits: context canceled
	// process 2 is inside
}
