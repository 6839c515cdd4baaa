package mcs_test

import (
	"context"
	"fmt"
	"sync"

	"example.org/doorway/mcs"
)

// Process 1 aborts while it waits, and the exit of process 0 skips it.
func Example() {
	l := mcs.New(3)
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

// Goroutines have no numbers: each that waits takes a node of its own. This is a lock that
// goroutines enter first come, first served; mutex.FIFO is one for use.
func ExampleQueue() {
	var q mcs.Queue
	fmt.Println("enter:", q.Enter())
	closed := make(chan struct{})
	close(closed)
	fmt.Println("wait for no time:", q.Enter() || q.Wait(closed))
	handed := make(chan bool)
	go func() { handed <- q.Enter() || q.Wait(nil) }()
	fmt.Println("leave:", q.Leave() || q.Hand())
	fmt.Println("handed:", <-handed)
	fmt.Println("leave:", q.Leave() || q.Hand())
	fmt.Println("leave again:", q.Leave() || q.Hand())
	// Output:
	// enter: true
	// wait for no time: false
	// leave: true
	// handed: true
	// leave: true
	// leave again: false
}
