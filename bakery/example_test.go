package bakery_test

import (
	"fmt"
	"sync"

	"example.org/doorway/bakery"
	"example.org/doorway/mutex"
)

// Each customer holds the same ledger, one at a time, in the order in which
// they came.
func ExampleNew() {
	l := bakery.New(3)
	ledger := 0
	var wg sync.WaitGroup
	for i := range l.Processes() {
		wg.Go(func() {
			for range 100 {
				l.Lock(i)
				ledger += i
				l.Unlock(i)
			}
		})
	}
	wg.Wait()
	fmt.Println(ledger)
	// Output: 300
}

// Any number of goroutines take their numbers from a bakery of four.
func ExampleNew_shared() {
	l := mutex.Share(bakery.New(4))
	ledger := 0
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			l.Lock()
			defer l.Unlock()
			ledger++
		})
	}
	wg.Wait()
	fmt.Println(ledger)
	// Output: 50
}

// The numbers of a black-white bakery stay small however long it is open.
func ExampleNewBlackWhite() {
	l := bakery.NewBlackWhite(2)
	for range 1000 {
		l.Lock(0)
		l.Unlock(0)
	}
	fmt.Println(l.TryLock(1))
	// Output: true
}

// What misuse looks like.
func ExampleLock_Unlock() {
	defer func() { fmt.Println(recover()) }()
	bakery.New(4).Unlock(3)
	// Output: bakery: unlock of process 3, which is not inside
}
