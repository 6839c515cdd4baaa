package mcs

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
)

// However many abort while the lock is held, the queue is not longer than twice those that wait,
// or than so few nodes that it does not matter. All that wait enter.
func TestAbortsAreSwept(t *testing.T) {
	over := make(chan struct{})
	close(over)
	for _, waiting := range []int{0, 1, 10, 1000} {
		synctest.Test(t, func(t *testing.T) {
			var q Queue
			assert.True(t, q.Enter())
			entered := 0 // guarded by q
			for range waiting {
				for range 10 {
					assert.False(t, q.Wait(over))
				}
				go func() {
					assert.True(t, q.Wait(nil))
					entered++
					assert.True(t, q.Hand())
				}()
				synctest.Wait()
			}
			for range 10_000 {
				assert.False(t, q.Wait(over))
			}
			length := q.length()
			assert.LessOrEqual(t, length, 2*waiting+2*places.many)
			assert.GreaterOrEqual(t, length, waiting)
			assert.True(t, q.Hand())
			synctest.Wait()
			assert.Equal(t, waiting, entered)
			assert.True(t, q.Enter(), "the lock is free")
		})
	}
}

// If all that wait abort, few nodes are left.
func TestAllAbort(t *testing.T) {
	for _, waiting := range []int{100, 1000} {
		synctest.Test(t, func(t *testing.T) {
			var q Queue
			assert.True(t, q.Enter())
			done := make(chan struct{})
			for range waiting {
				go q.Wait(done)
			}
			synctest.Wait()
			close(done)
			synctest.Wait()
			assert.LessOrEqual(t, q.length(), 2*places.many)
			assert.True(t, q.Hand())
			assert.True(t, q.Enter(), "the lock is free")
		})
	}
}

func (q *Queue) length() (n int) {
	for name := q.queue.head.Load(); name != 0; name = places.node(name).next.Load() {
		n++
	}
	return n
}
