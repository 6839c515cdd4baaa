package bakery_test

import (
	"context"
	"fmt"
	"time"

	"example.org/doorway/bakery"
	"example.org/doorway/mutex"
)

// The four bakeries have one contract. Process 1 aborts and blocks no other process,
// even where the algorithm cannot withdraw what it wrote, as in the black-white one.
func Example() {
	for _, b := range []struct {
		name string
		lock mutex.Abortable
	}{
		{"packed", bakery.New(3)},
		{"classic", bakery.NewClassic(3)},
		{"simple", bakery.NewSimple(3)},
		{"black-white", bakery.NewBlackWhite(3)},
	} {
		b.lock.Lock(2)
		ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
		fmt.Printf("%s: %v, ", b.name, b.lock.LockContext(ctx, 1))
		cancel()
		b.lock.Unlock(2)
		b.lock.Lock(0)
		fmt.Println("then process 0 enters")
		b.lock.Unlock(0)
	}
	// Output:
	// packed: context deadline exceeded, then process 0 enters
	// classic: context deadline exceeded, then process 0 enters
	// simple: context deadline exceeded, then process 0 enters
	// black-white: context deadline exceeded, then process 0 enters
}

// The numbers of a black-white bakery stay small, however long it is used.
func ExampleNewBlackWhite() {
	l := bakery.NewBlackWhite(2)
	for range 1000 {
		l.Lock(0)
		l.Unlock(0)
	}
	fmt.Println(l.TryLock(1))
	// Output: true
}
