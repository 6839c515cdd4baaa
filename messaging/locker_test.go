package messaging

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/internal/tier"
)

// Any waiters may leave the queue; the others stay in order.
func TestWaiters(t *testing.T) {
	for gone := range 1 << 5 { // all sets of those that leave
		for _, order := range [][]int{{0, 1, 2, 3, 4}, {4, 3, 2, 1, 0}, {2, 4, 0, 3, 1}} {
			var q waiters
			var all [5]waiter
			for k := range all {
				q.push(&all[k])
			}
			var want, got []*waiter
			for _, k := range order {
				if gone>>k&1 == 1 {
					q.remove(&all[k])
				}
			}
			for k := range all {
				assert.Equal(t, gone>>k&1 == 0, all[k].queued, "of %05b number %d", gone, k)
				if all[k].queued {
					want = append(want, &all[k])
				}
			}
			for w := q.first; w != nil; w = w.next {
				got = append(got, w)
			}
			assert.True(t, slices.Equal(got, want), "after %05b have left in the order %v", gone, order)
			got = got[:0]
			for w := q.last; w != nil; w = w.previous {
				got = append(got, w)
			}
			slices.Reverse(got)
			assert.True(t, slices.Equal(got, want), "backwards, after %05b have left in the order %v", gone, order)
		}
	}
}

// An aborting waiter leaves the queue without a search: here up to a quarter of a
// million abort, the last first. That takes some 10 ms, but a minute with a search.
func TestGivingUpDoesNotSearch(t *testing.T) {
	c := NewCluster(1, func(Start) Node { return rests{} })
	l := &c.members[0].locker
	l.taken = true
	all := make([]*waiter, tier.Pick(1<<16, 1<<18))
	for k := range all {
		all[k] = l.join()
	}
	start := time.Now()
	for k, w := range slices.Backward(all) {
		if l.leave(w); k%1024 == 0 && time.Since(start) > tier.Pick[time.Duration](1, 10)*time.Second {
			t.Fatalf("%d have still to leave", k)
		}
	}
	assert.Nil(t, l.queue.first)
	assert.True(t, l.taken)
}
