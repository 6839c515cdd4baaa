// Package bench benchmarks any [mutex.Mutex] against its peers: sync.Mutex, a
// channel, a semaphore, and the ticket, MCS and CLH locks. Call [Compare] from a
// benchmark in a _test.go file:
//
//	func BenchmarkMyLock(b *testing.B) {
//		bench.Compare(b, "mylock", func(n int) mutex.Mutex { return mylock.New(n) })
//	}
//
// Ten runs and benchstat show which differences exceed the noise:
//
//	go test -run '^$' -bench MyLock -count 10 | tee out.txt
//	benchstat -col /lock out.txt
//
// For the locks of this module:
//
//	go test -bench . -benchtime 100ms ./bench     every lock, every axis
//	go run ./bench/figures                        the goals of the library, measured
//	go run ./bench/figures -report docs           the same, with tables and plots
package bench

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"testing"
	"time"

	"example.org/doorway/internal/measure"
	"example.org/doorway/mutex"
)

// sizes are the numbers of processes with which Compare runs, and crowds those of
// goroutines through mutex.Share.
var (
	sizes  = []int{1, 2, 8, 64, 512}
	crowds = []int{8, 64, 512}
)

// Compare benchmarks a lock against its peers with 1, 2, 8, 64 and 512 processes, in
// sub-benchmarks named lock=mylock/procs=8. newLock returns a free lock for n
// processes; if it returns a lock for fewer, that size is skipped.
// lock=mylock-Share/procs=64 is 64 goroutines that use a lock for at most 8
// processes through [mutex.Share], which is how most programs use it; there are also
// 8 and 512.
//
// Each process is a goroutine in a closed loop: Lock, an increment, Unlock. They
// make b.N entries together, so ns/op is the time per entry of any process. Compare
// also reports allocations; cpu-ns/op, the CPU time of the program and of the system
// for it, where the system reports it; p50-ns, p99-ns and p99.9-ns, the latency of
// Lock over a sample of the entries, each if the sample is large enough; and min/max,
// the smallest number of entries of a process divided by the largest: 1 is even, 0 is
// starvation.
//
// The ticket, MCS and CLH locks spin. With more goroutines than processors an entry
// can take a time slice of the system, so they are skipped at those sizes.
//
// Compare fails the benchmark if the name is empty or a peer's, or if newLock is
// nil. A lock that loses a wake-up blocks it forever.
func Compare(b *testing.B, name string, newLock func(n int) mutex.Mutex) {
	b.Helper()
	if name == "" || slices.ContainsFunc(measure.Peers, func(p measure.Peer) bool { return p.Name == name }) {
		b.Fatalf("bench: Compare of a lock named %q: the name must be neither empty nor a peer's", name)
	}
	if newLock == nil {
		b.Fatalf("bench: Compare of %s: newLock is nil", name)
	}
	compare(name, newLock, func(sub string, m func() mutex.Mutex, n int) {
		b.Run(sub, func(b *testing.B) { contend(b, m(), measure.Contention{Goroutines: n}) })
	})
}

// compare calls run for each sub-benchmark of Compare.
func compare(name string, newLock func(n int) mutex.Mutex, run func(sub string, m func() mutex.Mutex, n int)) {
	for _, l := range append([]measure.Peer{{Name: name, New: newLock}}, measure.Peers...) {
		for _, n := range sizes {
			if l.Spins && n > runtime.GOMAXPROCS(0) {
				continue
			}
			if l.New(n).Processes() >= n {
				run(fmt.Sprintf("lock=%s/procs=%d", l.Name, n), func() mutex.Mutex { return l.New(n) }, n)
			}
		}
		if l.Name == name {
			for _, n := range crowds {
				run(fmt.Sprintf("lock=%s-Share/procs=%d", name, n), func() mutex.Mutex { return measure.Share(newLock(8), n) }, n)
			}
		}
	}
}

// contend benchmarks a lock under c: b.N counts the entries of all goroutines
// together, and all contend until the end. A percentile is reported if enough
// entries were timed that it is not just the slowest.
func contend(b *testing.B, m mutex.Mutex, c measure.Contention) {
	b.Helper()
	if b.N < 64_000 {
		c.Sample = 1 // a slow lock, which timing hardly disturbs
	}
	loop := measure.NewLoop(m, c, b.N)
	b.ReportAllocs()
	b.ResetTimer()
	loop.Run()
	b.StopTimer()
	r := loop.Result()
	for _, p := range []struct {
		name  string
		value time.Duration
		needs int
	}{{"p50-ns", r.Latency.P50, 2}, {"p99-ns", r.Latency.P99, 100}, {"p99.9-ns", r.Latency.P999, 1000}} {
		if r.Latency.Timed >= p.needs {
			b.ReportMetric(float64(p.value), p.name)
		}
	}
	if cpu := r.CPUPerEntry(); !math.IsNaN(cpu) {
		b.ReportMetric(cpu, "cpu-ns/op")
	}
	b.ReportMetric(r.MinMax, "min/max")
}
