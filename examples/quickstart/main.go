// Quickstart is the program of which the README shows the beginning.
package main

import (
	"context"
	"fmt"
	"sync"

	"example.org/doorway/mutex"
)

var visits int

var mu mutex.FIFO // like sync.Mutex, but first come, first served

func visit(ctx context.Context) error {
	if err := mu.LockContext(ctx); err != nil {
		return err // cancelled while waiting
	}
	defer mu.Unlock()
	visits++
	return nil
}

func main() {
	var all sync.WaitGroup
	for range 1000 {
		all.Go(func() {
			if err := visit(context.Background()); err != nil {
				panic(err)
			}
		})
	}
	all.Wait()
	fmt.Println(visits)
}
