package bench

import (
	"fmt"
	"testing"
	"time"
)

// BenchmarkAlone is one process that enters and leaves a lock for n.
func BenchmarkAlone(b *testing.B) {
	for _, l := range locks() {
		for _, n := range []int{1, 2, 8, 64, 512} {
			if !l.serves(n) || !l.own && n > 1 {
				continue // what a peer costs alone does not depend on n
			}
			b.Run(fmt.Sprintf("lock=%s/procs=%d", l.name, n), func(b *testing.B) {
				process, guarded := Locker(l.new(n), 0), 0
				b.ReportAllocs()
				for b.Loop() {
					process.Lock()
					guarded++
					process.Unlock()
				}
			})
		}
	}
}

// BenchmarkContend is n processes in a closed loop, which make b.N entries
// together; ns/op is what passes for each, by whichever process. So b.N counts
// what the lock hands out, and all compete until the end.
func BenchmarkContend(b *testing.B) {
	for _, l := range locks() {
		for _, n := range []int{1, 2, 8, 64, 512} {
			for _, work := range []time.Duration{0, 100} {
				if l.serves(n) {
					b.Run(fmt.Sprintf("lock=%s/procs=%d/work=%dns", l.name, n, work), func(b *testing.B) {
						contend(b, l, Contention{Goroutines: n, Work: work})
					})
				}
			}
		}
	}
}

func contend(b *testing.B, l lock, c Contention) {
	b.Helper()
	loop := newLoop(l.new(c.Goroutines), c, b.N)
	b.ReportAllocs()
	b.ResetTimer()
	close(loop.gate)
	loop.done.Wait()
	b.StopTimer()
	r := loop.result()
	if r.Latency.Timed > 0 {
		b.ReportMetric(float64(r.Latency.P50), "p50-ns")
		b.ReportMetric(float64(r.Latency.P99), "p99-ns")
		b.ReportMetric(float64(r.Latency.P999), "p99.9-ns")
	}
	b.ReportMetric(r.MinMax, "min/max")
	b.ReportMetric(r.Jain, "jain")
}
