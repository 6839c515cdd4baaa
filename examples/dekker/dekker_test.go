package dekker

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/tier"
	"example.org/doorway/stress"
)

// Goroutines at the two processes, some of which abort, and many that share them.
func TestStress(t *testing.T) {
	for name, c := range map[string]stress.Config{
		"two":    {Entries: tier.Pick(2_000, 200_000), GiveUp: 0.3},
		"shared": {Entries: tier.Pick(200, 20_000), GiveUp: 0.3, Goroutines: 8, Shared: true},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := stress.Run(New(), c)
			require.NoError(t, err)
			assert.NoError(t, r.Err())
			assert.Nil(t, r.FirstViolation)
			assert.Positive(t, r.Share.Min, "nobody starved")
			t.Logf("Lock took at most %v", r.Latency.Max)
		})
	}
}

// A waiter parks, in front of line 5 as in front of line 2, and every unlock wakes it.
func TestWaiterParks(t *testing.T) {
	for i := range 2 {
		synctest.Test(t, func(t *testing.T) {
			l, entered := New(), false
			l.Lock(i)
			go func() {
				l.Lock(1 - i)
				entered = true
				l.Unlock(1 - i)
			}()
			synctest.Wait()
			assert.False(t, entered)
			l.Unlock(i)
			synctest.Wait()
			assert.True(t, entered)
		})
	}
}
