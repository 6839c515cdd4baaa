package bench

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/measure"
	"example.org/doorway/messaging/cluster"
	"example.org/doorway/mutex"
)

// A lock is an algorithm of the catalog, or a peer, to be benchmarked.
type lock struct {
	name   string
	new    func(n int) mutex.Mutex
	serves func(n int) bool // n processes
	own    bool             // ours
}

func locks() []lock {
	var all []lock
	for _, a := range catalog.Algorithms {
		all = append(all, lock{a.Name, func(n int) mutex.Mutex { return a.New(n) }, a.For, true})
	}
	for _, p := range measure.Peers {
		all = append(all, lock{p.Name, p.New, catalog.Algorithm{}.For, false})
	}
	return all
}

// BenchmarkAlone measures uncontended entries of one process of a lock for n.
func BenchmarkAlone(b *testing.B) {
	for _, l := range locks() {
		for _, n := range []int{1, 2, 8, 64, 512} {
			if !l.serves(n) || !l.own && n > 1 {
				continue // the uncontended cost of a peer does not depend on n
			}
			b.Run(fmt.Sprintf("lock=%s/procs=%d", l.name, n), func(b *testing.B) {
				process, guarded := measure.Locker(l.new(n), 0), 0
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

// BenchmarkContend measures n processes in a closed loop, which make b.N entries
// together; ns/op is the time per entry of any process. All contend until the end.
// A percentile is reported if enough entries were timed that it is not just the
// slowest.
func BenchmarkContend(b *testing.B) {
	for _, l := range locks() {
		for _, n := range []int{1, 2, 8, 64, 512} {
			for _, work := range []time.Duration{0, 100} {
				if l.serves(n) {
					b.Run(fmt.Sprintf("lock=%s/procs=%d/work=%dns", l.name, n, work), func(b *testing.B) {
						contend(b, l.new(n), measure.Contention{Goroutines: n, Work: work})
					})
				}
			}
		}
	}
}

// BenchmarkShare is BenchmarkContend of goroutines that use a lock for few
// processes through mutex.Share, or its own Locker; the peers need none.
func BenchmarkShare(b *testing.B) {
	for _, a := range catalog.Algorithms {
		for _, n := range []int{1, 8, 64, 512} {
			if a.Locker != nil {
				b.Run(fmt.Sprintf("lock=%s-Locker/goroutines=%d", a.Name, n), func(b *testing.B) {
					contend(b, measure.Any(a.Locker(), n), measure.Contention{Goroutines: n})
				})
			}
			processes := a.AtMost(8)
			b.Run(fmt.Sprintf("lock=%s/procs=%d/goroutines=%d", a.Name, processes, n), func(b *testing.B) {
				contend(b, measure.Share(a.New(processes), n), measure.Contention{Goroutines: n})
			})
		}
	}
}

// BenchmarkCluster is BenchmarkContend for nodes of a cluster.
func BenchmarkCluster(b *testing.B) {
	for _, p := range catalog.Protocols {
		for _, n := range []int{1, 2, 8, 32} {
			b.Run(fmt.Sprintf("lock=%s/procs=%d", p.Name, n), func(b *testing.B) {
				contend(b, cluster.New(n, p.New(n)), measure.Contention{Goroutines: n})
			})
		}
	}
}

// Figures under an empty name, or that of a peer, would be taken for those of
// another lock.
func TestCompareMisuse(t *testing.T) {
	free := func(n int) mutex.Mutex { return measure.Peers[0].New(n) }
	for name, newLock := range map[string]func(int) mutex.Mutex{"": free, "channel": free, "mylock": nil} {
		r := testing.Benchmark(func(b *testing.B) {
			b.Helper()
			Compare(b, name, newLock)
		})
		assert.Zero(t, r.N, "Compare of %q runs", name)
	}
}

// Compare runs a sub-benchmark for each lock and each size that the lock serves.
func TestCompare(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	peterson, ok := catalog.Find("peterson")
	assert.True(t, ok)
	var names []string
	newLock := func(n int) mutex.Mutex { return peterson.New(min(n, 2)) }
	compare("mylock", newLock, func(sub string, m func() mutex.Mutex, n int) {
		names = append(names, sub)
		loop := measure.NewLoop(m(), measure.Contention{Goroutines: n}, 100)
		loop.Run()
		assert.Equal(t, uint64(100), loop.Result().Entries, sub)
	})
	assert.Equal(t, []string{"lock=mylock/procs=1", "lock=mylock/procs=2", "lock=mylock-Share/procs=8", "lock=mylock-Share/procs=64", "lock=mylock-Share/procs=512", "lock=sync.Mutex/procs=1"}, names[:6])
	assert.Len(t, names, 5+5*3+2*3, "the lock serves two processes, and any number of goroutines through Share; three peers any number, and those that spin as many as there are processors")
}
