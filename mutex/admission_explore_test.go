//go:build doorway_explore

package mutex

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/interleave"
)

// No goroutine sleeps forever in the queue of a Shared, and none has the process of
// another, in any interleaving.
func TestAdmission(t *testing.T) {
	for _, s := range scenarios {
		t.Run(s.name, func(t *testing.T) {
			r := interleave.Explore(s.make())
			require.Empty(t, r.Failure, r.Trace)
			assert.True(t, r.Whole, "not all interleavings were run")
			t.Logf("%d states, %d steps; longest path: %d", r.States, r.Steps, r.Depth)
		})
	}
}
