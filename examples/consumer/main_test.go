package main

import (
	"sync"
	"testing"
)

func TestStock(t *testing.T) {
	const goroutines, each = 50, 100 // more goroutines than processes
	stock := NewStock()
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() {
			for range each {
				stock.Add("bread", 1)
			}
		})
	}
	wg.Wait()
	if got := stock.Count("bread"); got != goroutines*each {
		t.Errorf("%d bread in store, want %d", got, goroutines*each)
	}
}

func TestServe(t *testing.T) {
	const customers, each = 8, 200
	count := make([]int, customers)
	for _, i := range Serve(customers, each) {
		count[i]++
	}
	for i, n := range count {
		if n != each {
			t.Errorf("customer %d was served %d times, want %d", i, n, each)
		}
	}
}

func Example() {
	main()
	// Output:
	// in store: 100 bread
	// served: 100 customers
}
