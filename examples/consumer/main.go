// Consumer is a program in its own module. The replace line of its go.mod names the
// checkout of doorway that it uses:
//
//	GOWORK=off go run .
package main

import (
	"fmt"
	"sync"

	"example.org/doorway/lamportfast"
	"example.org/doorway/mutex"
)

// A Stock counts items. It is safe for concurrent use: up to 16 goroutines contend,
// the rest queue.
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

// Add adds n of an item.
func (s *Stock) Add(item string, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.items[item] += n
}

// Count returns the number of an item.
func (s *Stock) Count(item string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.items[item]
}

func main() {
	stock := NewStock()
	var wg sync.WaitGroup
	for range 100 {
		wg.Go(func() { stock.Add("bread", 1) })
	}
	wg.Wait()
	fmt.Println("in store:", stock.Count("bread"), "bread")
}
