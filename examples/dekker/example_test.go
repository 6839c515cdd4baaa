package dekker_test

import (
	"context"
	"fmt"
	"sync"
	"time"

	"example.org/doorway/examples/dekker"
)

// Two processes withdraw from one account. Each goroutine knows its process number.
func Example() {
	l, account := dekker.New(), 1000
	var wg sync.WaitGroup
	for i := range l.Processes() {
		wg.Go(func() {
			for range 500 {
				l.Lock(i)
				account--
				l.Unlock(i)
			}
		})
	}
	wg.Wait()
	fmt.Println(account)
	// Output: 0
}

// Process 1 aborts while it has the turn, and process 0 does not wait for it.
func ExampleLock_LockContext() {
	l := dekker.New()
	l.Lock(0)
	l.Unlock(0) // now process 1 has the turn
	l.Lock(0)
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	fmt.Println("process 1:", l.LockContext(ctx, 1))
	l.Unlock(0)
	fmt.Println("process 0:", l.TryLock(0))
	// Output:
	// process 1: context deadline exceeded
	// process 0: true
}
