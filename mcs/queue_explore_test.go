//go:build doorway_explore

package mcs

import (
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"unsafe"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/internal/memory/hook"
	"example.org/doorway/internal/memory/renaming"
)

// An entry that waits, and its exit, access four cache lines, however many wait: that of the lock, of the
// node, and of the nodes before and behind it. An entry of one alone accesses one.
func TestCacheLines(t *testing.T) {
	for _, waiting := range []int{3, 1000} {
		synctest.Test(t, func(t *testing.T) {
			lines := map[uintptr]bool{}
			counting := func(yes bool) {
				if !yes {
					hook.Intercept(nil)
					return
				}
				hook.Intercept(func(_ hook.Access, of *atomic.Uint64) {
					if of != nil {
						lines[uintptr(unsafe.Pointer(of))/64] = true
					}
				})
			}
			aligned := new(struct {
				Queue
				_ [64 - unsafe.Sizeof(Queue{})]byte
			})
			q := &aligned.Queue

			counting(true)
			assert.True(t, q.Enter())
			assert.True(t, q.Leave())
			counting(false)
			assert.Len(t, lines, 1)

			clear(lines)
			assert.True(t, q.Enter())
			var all sync.WaitGroup
			for k := range waiting {
				counted := k == waiting/2
				counting(counted)
				all.Go(func() {
					assert.True(t, q.Enter() || q.Wait(nil))
					counting(counted)
					assert.True(t, q.Leave() || q.Hand())
					counting(false)
				})
				synctest.Wait()
				counting(false)
			}
			assert.True(t, q.Hand())
			all.Wait()
			assert.Len(t, lines, 4)
		})
	}
}

// A sweep that finds the queue empty takes none of those that join meanwhile.
func TestSweepOfNone(t *testing.T) {
	var q Queue
	in := &pool{Table: renaming.New(64, func(*place) {}), many: renaming.Most}
	in.giveBack = func(int) { t.Error("a node was taken") }
	assert.True(t, q.Enter())
	looks := 0
	hook.Intercept(func(hook.Access, *atomic.Uint64) {
		if looks++; looks == 2 { // has looked at head or tail
			hook.Intercept(nil)
			for range 4 {
				assert.False(t, q.wait(in, in.lease(), over))
			}
		}
	})
	q.takeAborted(in)
	assert.Equal(t, 2, looks)
}
