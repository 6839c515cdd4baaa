package peterson_test

import (
	"fmt"
	"sync"

	"example.org/doorway/peterson"
)

// A producer is process 0 and a consumer process 1.
func Example() {
	l := peterson.New()
	var box []int
	var wg sync.WaitGroup
	wg.Go(func() {
		for k := range 5 {
			l.Lock(0)
			box = append(box, k)
			l.Unlock(0)
		}
	})
	taken := 0
	wg.Go(func() {
		for taken < 5 {
			l.Lock(1)
			taken += len(box)
			box = nil
			l.Unlock(1)
		}
	})
	wg.Wait()
	fmt.Println(taken, "taken,", len(box), "left")
	// Output: 5 taken, 0 left
}
