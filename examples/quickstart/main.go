// Quickstart is the program that the README begins with.
package main

import (
	"fmt"
	"sync"

	"example.org/doorway/mutex"
)

func main() {
	var mu mutex.FIFO // as a sync.Mutex, but first come, first served; with LockContext
	visits := map[string]int{}
	var wg sync.WaitGroup
	for range 1000 {
		wg.Go(func() {
			mu.Lock()
			defer mu.Unlock()
			visits["home"]++
		})
	}
	wg.Wait()
	fmt.Println(visits)
}
