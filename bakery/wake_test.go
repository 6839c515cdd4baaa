package bakery

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/mutex"
)

// An exit wakes the next process, not all that wait. Otherwise all wait for process 0,
// then for process 1, and the number of wake-ups grows with the square of theirs.
// Those of a Simple include its step, which is a lock.
func TestExitWakesTheNext(t *testing.T) {
	const n = 1000
	packed, classic, blackwhite := New(n), NewClassic(n), NewBlackWhite(n)
	for name, woken := range map[string]int{
		"packed":      wakeUps(packed, func(i int) bool { return packed.ticket[i].Load() > choosing }),
		"classic":     wakeUps(classic, func(i int) bool { return classic.number[i].Load() > 0 }),
		"black-white": wakeUps(blackwhite, func(i int) bool { return numberOf(blackwhite.ticket[i].Load()) > 0 }),
	} {
		assert.Less(t, woken, 4*n, "%s: wake-ups until %d have entered", name, n)
	}
}

// wakeUps returns how often a goroutine becomes runnable until all processes of l have
// entered and left, if they take their tickets in ascending order before process 0
// leaves. The runtime counts one in eight, its own goroutine that sweeps included.
func wakeUps(l mutex.Mutex, hasTicket func(i int) bool) int {
	l.Lock(0)
	var done sync.WaitGroup
	for i := 1; i < l.Processes(); i++ {
		done.Go(func() {
			l.Lock(i)
			l.Unlock(i)
		})
		for !hasTicket(i) {
			runtime.Gosched()
		}
	}
	for range l.Processes() {
		runtime.Gosched() // each parks
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	runtime.GC() // and nothing is left to sweep
	before := scheduled()
	l.Unlock(0)
	done.Wait()
	return int(8 * (scheduled() - before))
}

func scheduled() (times uint64) {
	sample := []metrics.Sample{{Name: "/sched/latencies:seconds"}}
	metrics.Read(sample)
	for _, count := range sample[0].Value.Float64Histogram().Counts {
		times += count
	}
	return times
}
