package graunkethakkar_test

import (
	"context"
	"fmt"
	"runtime/metrics"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/graunkethakkar"
	"example.org/doorway/internal/seam"
	"example.org/doorway/internal/tier"
)

// When all that wait abort at once while the lock is held, the number of accesses and
// wake-ups is linear in theirs, and a Locker starts no goroutine.
func TestAbortsAreLinear(t *testing.T) {
	const most = 50 // steps for one; there are about 22
	for _, n := range []int{100, tier.Pick(1600, 8000)} {
		bubble := func(name string, test func(t *testing.T)) {
			t.Run(fmt.Sprintf("%s=%d", name, n), func(t *testing.T) { synctest.Test(t, test) })
		}
		bubble("goroutines", func(t *testing.T) {
			var l graunkethakkar.Locker
			l.Lock()
			steps, started := abortAll(t, n, func(ctx context.Context, _ int) error { return l.LockContext(ctx) })
			assert.LessOrEqual(t, steps, most*n, "accesses and wake-ups")
			assert.LessOrEqual(t, started, n/10, "goroutines started")
		})
		bubble("processes", func(t *testing.T) {
			l := graunkethakkar.New(n + 1)
			l.Lock(n)
			steps, _ := abortAll(t, n, l.LockContext)
			assert.LessOrEqual(t, steps, most*n, "accesses and wake-ups")
		})
	}
}

// abortAll has n goroutines wait and then abort, and returns how many accesses and wake-ups
// that takes, or 0 in a build that does not count them, and how many goroutines it starts.
func abortAll(t *testing.T, n int, lockContext func(ctx context.Context, i int) error) (steps, started int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	for i := range n {
		go func() { assert.ErrorIs(t, lockContext(ctx, i), context.Canceled) }()
	}
	synctest.Wait()
	before := goroutines()
	var counted atomic.Int64
	seam.Intercept(func(seam.Access, *seam.Number) { counted.Add(1) })
	defer seam.Intercept(nil)
	cancel()
	synctest.Wait()
	return int(counted.Load()), goroutines() - before
}

// goroutines returns how many have been started so far.
func goroutines() int {
	s := []metrics.Sample{{Name: "/sched/goroutines-created:goroutines"}}
	metrics.Read(s)
	return int(s[0].Value.Uint64())
}
