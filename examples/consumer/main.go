// Consumer is a program in a module of its own that uses doorway from a
// checkout beside it, which the replace line of its go.mod names:
//
//	GOWORK=off go run .
package main

import (
	"fmt"
	"sync"

	"example.org/doorway/bakery"
	"example.org/doorway/lamportfast"
	"example.org/doorway/mutex"
)

// A Stock is a map of what is in store, for any number of goroutines. Up to 16
// of them at a time take part in the algorithm; the next ones queue for a place.
type Stock struct {
	mu    sync.Locker
	items map[string]int
}

// NewStock returns an empty Stock.
func NewStock() *Stock {
	return &Stock{
		mu:    mutex.Share(lamportfast.New(16)),
		items: make(map[string]int),
	}
}

// Add puts n of an item in store.
func (s *Stock) Add(item string, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.items[item] += n
}

// Count returns how many of an item are in store.
func (s *Stock) Count(item string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.items[item]
}

// Serve has each of some customers served n times, and returns who was served
// in which order. Customer i is process i of a bakery: who has taken a number
// is served before all who come later.
func Serve(customers, n int) []int {
	counter := bakery.New(customers)
	var served []int
	var wg sync.WaitGroup
	for i := range customers {
		wg.Go(func() {
			turn := mutex.Locker(counter, i)
			for range n {
				turn.Lock()
				served = append(served, i)
				turn.Unlock()
			}
		})
	}
	wg.Wait()
	return served
}

func main() {
	stock := NewStock()
	var wg sync.WaitGroup
	for range 100 {
		wg.Go(func() { stock.Add("bread", 1) })
	}
	wg.Wait()
	fmt.Println("in store:", stock.Count("bread"), "bread")
	fmt.Println("served:", len(Serve(4, 25)), "customers")
}
