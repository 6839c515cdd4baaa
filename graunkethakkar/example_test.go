package graunkethakkar_test

import (
	"context"
	"fmt"
	"sync"
	"time"

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

// A counter that any number of goroutines may use, first come, first served. Whoever has
// no time left gives up.
func ExampleLocker() {
	var counter struct {
		lock graunkethakkar.Locker
		n    int
	}
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() {
			counter.lock.Lock()
			defer counter.lock.Unlock()
			counter.n++
		})
	}
	all.Wait()
	counter.lock.Lock()
	fmt.Println(counter.n, "goroutines have counted")
	fmt.Println("another tries:", counter.lock.TryLock())
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	fmt.Println("another waits:", counter.lock.LockContext(ctx))
	counter.lock.Unlock()
	// Output:
	// 100 goroutines have counted
	// another tries: false
	// another waits: context deadline exceeded
}
