package bench

import (
	"fmt"
	"testing"
	"time"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/messaging"
	"example.org/doorway/mutex"
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
// what the lock hands out, and all compete until the end. A percentile is
// reported if so many entries were timed that it is not just the slowest.
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

// BenchmarkCluster is BenchmarkContend of nodes that pass messages.
func BenchmarkCluster(b *testing.B) {
	for _, p := range catalog.Protocols {
		for _, n := range []int{1, 2, 8, 32} {
			b.Run(fmt.Sprintf("lock=%s/procs=%d", p.Name, n), func(b *testing.B) {
				cluster := lock{name: p.Name, new: func(n int) mutex.Mutex { return messaging.NewCluster(n, p.New(n)) }}
				contend(b, cluster, Contention{Goroutines: n})
			})
		}
	}
}

func contend(b *testing.B, l lock, c Contention) {
	b.Helper()
	if b.N < 64_000 {
		c.Sample = 1 // a slow lock, which timing hardly disturbs
	}
	loop := newLoop(l.new(c.Goroutines), c, b.N)
	b.ReportAllocs()
	b.ResetTimer()
	close(loop.gate)
	loop.done.Wait()
	b.StopTimer()
	r := loop.result()
	for _, p := range []struct {
		name  string
		value time.Duration
		needs int
	}{{"p50-ns", r.Latency.P50, 2}, {"p99-ns", r.Latency.P99, 100}, {"p99.9-ns", r.Latency.P999, 1000}} {
		if r.Latency.Timed >= p.needs {
			b.ReportMetric(float64(p.value), p.name)
		}
	}
	b.ReportMetric(r.MinMax, "min/max")
}
