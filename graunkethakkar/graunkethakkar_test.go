package graunkethakkar_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/graunkethakkar"
)

// Processes that abort, wherever they are in the queue, have left it when all is quiet,
// though the lock is still held: each can be used again, and the others keep their order.
func TestLeavingTheQueue(t *testing.T) {
	const n = 6
	for leavers := range 1 << (n - 1) {
		synctest.Test(t, func(t *testing.T) {
			l := graunkethakkar.New(n)
			l.Lock(0)
			ctx, cancel := context.WithCancel(t.Context())
			var order []int // guarded by l
			var waiting sync.WaitGroup
			for i := 1; i < n; i++ {
				waiting.Go(func() {
					if leavers>>(i-1)&1 == 0 {
						l.Lock(i)
						order = append(order, i)
						l.Unlock(i)
					} else {
						assert.ErrorIs(t, l.LockContext(ctx, i), context.Canceled)
					}
				})
				synctest.Wait() // it has joined the queue
			}
			cancel()
			synctest.Wait()
			var want []int
			for _, leaves := range []bool{false, true} {
				for i := 1; i < n; i++ {
					if leavers>>(i-1)&1 == 1 == leaves {
						want = append(want, i)
					}
				}
			}
			for i := 1; i < n; i++ {
				if leavers>>(i-1)&1 == 1 {
					waiting.Go(func() {
						l.Lock(i)
						order = append(order, i)
						l.Unlock(i)
					})
					synctest.Wait()
				}
			}
			l.Unlock(0)
			waiting.Wait()
			assert.Equal(t, want, order, "leavers %b", leavers)
		})
	}
}
