package dekker

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/tier"
	"example.org/doorway/stress"
)

// Goroutines stress the two processes, directly or shared; some acquisitions abort.
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
			assert.Positive(t, r.Share.Min, "each goroutine entered")
			t.Logf("Lock took at most %v", r.Latency.Max)
		})
	}
}

// A waiter parks at line 5 and at line 2, and an unlock wakes it.
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
