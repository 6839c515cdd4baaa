package cluster

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/messaging"
)

// Any waiters may leave the queue; the others have their turns in order.
func TestWaiters(t *testing.T) {
	c := New(1, func(messaging.Start) messaging.Node { return rests{} })
	l := &c.members[0].locker
	for gone := range 1 << 5 { // all sets of those that leave
		for _, order := range [][]int{{0, 1, 2, 3, 4}, {4, 3, 2, 1, 0}, {2, 4, 0, 3, 1}} {
			l.taken = true
			var all, want, got []*waiter
			for range order {
				all = append(all, l.join())
			}
			for _, k := range order {
				if gone>>k&1 == 1 {
					l.withdraw(all[k])
				}
			}
			for k, w := range all {
				if gone>>k&1 == 0 {
					want = append(want, w)
				}
			}
			for l.passTurn(); l.taken; l.passTurn() {
				k := slices.IndexFunc(all, func(w *waiter) bool { return len(w.turn) > 0 })
				assert.NoError(t, <-all[k].turn)
				got = append(got, all[k])
			}
			assert.True(t, slices.Equal(got, want), "after %05b have left in the order %v", gone, order)
		}
	}
}
