package measure

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// inParallel has each of n goroutines do so many times what is to be done, and
// returns how often it was done by all. It ends after a second in any case:
// where there are more threads than processors, a lock that spins takes a time
// slice of the system for each entry, if the thread whose turn it is has none.
func inParallel(n, times int, do func(i int)) int {
	var stop atomic.Bool
	defer time.AfterFunc(time.Second, func() { stop.Store(true) }).Stop()
	var wg sync.WaitGroup
	done := make([]int, n)
	for i := range n {
		wg.Go(func() {
			for done[i] < times && !stop.Load() {
				do(i)
				done[i]++
			}
		})
	}
	wg.Wait()
	all := 0
	for _, d := range done {
		all += d
	}
	return all
}

// Two goroutines inside at once are a data race, which the race detector sees,
// and lose an increment, which the count shows without it.
func TestPeersExclude(t *testing.T) {
	const n = 8
	for _, p := range Peers {
		t.Run(p.Name, func(t *testing.T) {
			m := p.New(n)
			assert.Equal(t, n, m.Processes())
			counted := 0
			entries := inParallel(n, 100, func(i int) {
				l := Locker(m, i)
				l.Lock()
				before := counted
				runtime.Gosched() // so that others enter, if they can
				counted = before + 1
				l.Unlock()
			})
			assert.NotZero(t, entries)
			assert.Equal(t, entries, counted, "entries counted")
		})
	}
}
