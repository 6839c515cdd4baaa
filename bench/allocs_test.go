//go:build !race

package bench

import (
	"testing"
	"time"

	"example.org/doorway/internal/tier"
)

// The race detector allocates on its own account, so this is for a build
// without it.
func TestNoLockAllocates(t *testing.T) {
	for _, l := range locks() {
		t.Run(l.name+"/alone", func(t *testing.T) {
			m := l.new(l.atMost(8))
			if got := testing.AllocsPerRun(1000, func() { m.Lock(0); m.Unlock(0) }); got != 0 {
				t.Errorf("%v allocations an entry", got)
			}
		})
		for _, n := range []int{2, 8, 64} {
			if !l.serves(n) || !l.own {
				continue // a peer may: the semaphore allocates for each that waits
			}
			t.Run(l.name+"/contended", func(t *testing.T) {
				c := Contention{Goroutines: n, Duration: tier.Pick[time.Duration](10, 25) * time.Millisecond}
				// What the runtime allocates now and then to let goroutines wait
				// is not the lock's, and far below one in a thousand entries: unless
				// other programs leave us time for a few entries only.
				r := Contend(l.new(n), c)
				for ; r.Allocs > 0.001 && c.Duration < time.Second; r = Contend(l.new(n), c) {
					c.Duration *= 2
				}
				if r.Allocs > 0.001 {
					t.Errorf("%d goroutines: %v allocations an entry", n, r.Allocs)
				}
			})
		}
	}
}
