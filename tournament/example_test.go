package tournament_test

import (
	"fmt"
	"sync"

	"example.org/doorway/tournament"
)

// Five processes play in a tree with eight leaves.
func Example() {
	l := tournament.New(5)
	var wins [5]int
	total := 0
	var wg sync.WaitGroup
	for i := range l.Processes() {
		wg.Go(func() {
			for range 100 {
				l.Lock(i)
				wins[i]++
				total++
				l.Unlock(i)
			}
		})
	}
	wg.Wait()
	fmt.Println(wins, total)
	// Output: [100 100 100 100 100] 500
}
