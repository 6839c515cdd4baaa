// Quickstart is the program that the README begins with.
package main

import (
	"fmt"
	"sync"

	"example.org/doorway/bakery"
	"example.org/doorway/mutex"
)

func main() {
	l := mutex.Share(bakery.New(8)) // a sync.Locker for any number of goroutines: FIFO, as the lock is
	visits := map[string]int{}
	var wg sync.WaitGroup
	for range 1000 {
		wg.Go(func() {
			l.Lock()
			defer l.Unlock()
			visits["home"]++
		})
	}
	wg.Wait()
	fmt.Println(visits)
}
