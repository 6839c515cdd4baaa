package tournament_test

import (
	"context"
	"fmt"
	"sync"
	"time"

	"example.org/doorway/tournament"
)

// Five processes use a tree with eight leaves.
func Example() {
	l := tournament.New(5)
	var wins [5]int
	total := 0
	var wg sync.WaitGroup
	for i := range l.Processes() {
		wg.Go(func() {
			for range 100 {
				l.Lock(i)
				wins[i]++
				total++
				l.Unlock(i)
			}
		})
	}
	wg.Wait()
	fmt.Println(wins, total)
	// Output: [100 100 100 100 100] 500
}

// Process 0 has won at the root. Process 1 loses to it at their leaves, process 7 at
// the root; both abort and leave no trace.
func ExampleLock_LockContext() {
	l := tournament.New(8)
	l.Lock(0)
	fmt.Println("process 1 tries:", l.TryLock(1))
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	fmt.Println("process 7 waits:", l.LockContext(ctx, 7))
	l.Unlock(0)
	fmt.Println("process 1 tries again:", l.TryLock(1))
	// Output:
	// process 1 tries: false
	// process 7 waits: context deadline exceeded
	// process 1 tries again: true
}
