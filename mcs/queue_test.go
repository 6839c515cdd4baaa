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
			length := 0
			for name := q.head.Load(); name != 0; name = places.node(name).next.Load() {
				length++
			}
			assert.LessOrEqual(t, length, 2*waiting+places.many+2)
			assert.GreaterOrEqual(t, length, waiting)
			assert.True(t, q.Hand())
			synctest.Wait()
			assert.Equal(t, waiting, entered)
			assert.True(t, q.Enter(), "the lock is free")
		})
	}
}
