package measure_test

import (
	"fmt"
	"time"

	"example.org/doorway/bakery"
	"example.org/doorway/internal/measure"
)

func ExampleContend() {
	r := measure.Contend(bakery.New(8), measure.Contention{
		Goroutines: 8,
		Duration:   50 * time.Millisecond,
		Work:       100 * time.Nanosecond,
	})
	fmt.Println("entered:", r.Entries > 0)
	fmt.Printf("heap allocations an entry: %.1f\n", r.Allocs)
	fmt.Println("none starved:", r.MinMax > 0)
	// Output:
	// entered: true
	// heap allocations an entry: 0.0
	// none starved: true
}
