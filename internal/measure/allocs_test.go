//go:build !race

package measure

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/internal/tier"
)

// The race detector allocates on its own account, so this is for a build
// without it.
func TestNoLockAllocates(t *testing.T) {
	for _, l := range locks() {
		t.Run(l.name+"/alone", func(t *testing.T) {
			m := l.new(l.atMost(8))
			got := testing.AllocsPerRun(1000, func() { m.Lock(0); m.Unlock(0) })
			assert.Zero(t, got, "allocations an entry")
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
				assert.LessOrEqual(t, r.Allocs, 0.001, "%d goroutines: allocations an entry", n)
			})
		}
	}
}
