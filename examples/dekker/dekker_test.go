package dekker

import (
	"testing"

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
