package bench_test

import (
	"fmt"
	"testing"

	"example.org/doorway/bakery"
	"example.org/doorway/bench"
	"example.org/doorway/mutex"
)

// In a _test.go file this is func BenchmarkBakery(b *testing.B) { bench.Compare(…) }.
// Part of the output of go test -bench Bakery -benchtime 50ms on 2 cores:
//
//	BenchmarkBakery/lock=bakery/procs=1-2         87.39 ns/op  1.000 min/max           88.00 p50-ns    120.0 p99-ns
//	BenchmarkBakery/lock=bakery/procs=8-2         536.8 ns/op  0.9453 min/max         2681 p50-ns     3848 p99-ns
//	BenchmarkBakery/lock=sync.Mutex/procs=1-2     43.77 ns/op  1.000 min/max           55.00 p50-ns     79.00 p99-ns
//	BenchmarkBakery/lock=sync.Mutex/procs=8-2     71.87 ns/op  0.0000022 min/max       66.00 p50-ns     89.00 p99-ns
//	BenchmarkBakery/lock=channel/procs=8-2        770.8 ns/op  0.2957 min/max        1844 p50-ns    15612 p99-ns
func ExampleCompare() {
	// Done by go test -bench:
	fmt.Println(testing.Benchmark(func(b *testing.B) {
		bench.Compare(b, "bakery", func(n int) mutex.Mutex { return bakery.New(n) })
	}))
}
