package lamportfast_test

import (
	"context"
	"fmt"
	"time"

	"example.org/doorway/lamportfast"
)

// An aborted acquisition leaves no trace: other processes enter.
func Example() {
	l := lamportfast.New(3)
	l.Lock(0)
	fmt.Println("process 1 tries:", l.TryLock(1))
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	fmt.Println("process 2 waits:", l.LockContext(ctx, 2))
	l.Unlock(0)
	fmt.Println("process 1 tries again:", l.TryLock(1))
	// Output:
	// process 1 tries: false
	// process 2 waits: context deadline exceeded
	// process 1 tries again: true
}
