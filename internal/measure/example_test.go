package measure_test

import (
	"fmt"
	"time"

	"example.org/doorway/bakery"
	"example.org/doorway/internal/measure"
)

// A machine slows down tenfold while two locks are measured, by 2.4 % from one
// measurement to the next; one lock takes twice as long as the other. Each for itself has no figure
// worth the name; their ratio has.
func ExampleCompare() {
	slowness := 1.0
	drifting := func(ns float64) func() float64 {
		return func() float64 { slowness *= 1.024; return ns * slowness }
	}
	r := measure.Compare(49, drifting(50), drifting(25))
	fmt.Printf("A      %.0f ns, between %.0f and %.0f\n", r.A.Median, r.A.Low, r.A.High)
	fmt.Printf("A / B  %.2f, between %.2f and %.2f\n", r.Ratio.Median, r.Ratio.Low, r.Ratio.High)
	// Output:
	// A      160 ns, between 62 and 413
	// A / B  1.95, between 1.95 and 2.05
}

// Ten goroutines shared a thousand entries.
func ExampleMinMax() {
	even := []uint64{100, 100, 100, 100, 100, 100, 100, 100, 100, 100}
	uneven := []uint64{190, 190, 190, 190, 190, 10, 10, 10, 10, 10}
	greedy := []uint64{1000, 0, 0, 0, 0, 0, 0, 0, 0, 0}
	for _, shares := range [][]uint64{even, uneven, greedy} {
		fmt.Printf("%.2f\n", measure.MinMax(shares))
	}
	// Output:
	// 1.00
	// 0.05
	// 0.00
}

func ExampleContend() {
	r := measure.Contend(bakery.New(8), measure.Contention{
		Goroutines: 8,
		Duration:   200 * time.Millisecond,
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
