package graunkethakkar_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/graunkethakkar"
	"example.org/doorway/internal/memory/hook"
	"example.org/doorway/internal/tier"
)

// When all that wait abort at once while the lock is held, the number of accesses and
// wake-ups is linear in theirs.
func TestAbortsAreLinear(t *testing.T) {
	const most = 50 // steps for one; there are about 22
	for _, n := range []int{100, tier.Pick(1600, 8000)} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := graunkethakkar.New(n + 1)
				l.Lock(n)
				assert.LessOrEqual(t, abortAll(t, n, l.LockContext), most*n, "accesses and wake-ups")
			})
		})
	}
}

// abortAll has n goroutines wait and then abort, and returns how many accesses and wake-ups
// that takes, or 0 in a build that does not count them.
func abortAll(t *testing.T, n int, lockContext func(ctx context.Context, i int) error) int {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	for i := range n {
		go func() { assert.ErrorIs(t, lockContext(ctx, i), context.Canceled) }()
	}
	synctest.Wait()
	var counted atomic.Int64
	hook.Intercept(func(hook.Access, *atomic.Uint64) { counted.Add(1) })
	defer hook.Intercept(nil)
	cancel()
	synctest.Wait()
	return int(counted.Load())
}
