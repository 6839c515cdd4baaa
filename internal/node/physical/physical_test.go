package physical_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/internal/node/physical"
)

// A clock that is set back runs at half its speed until the time has caught up.
func TestAdjust(t *testing.T) {
	var c physical.Clock
	c.Adjust(100 * time.Millisecond)
	c.Adjust(-10 * time.Millisecond)
	for _, shown := range []time.Duration{100, 104, 108, 114} {
		assert.Equal(t, shown*time.Millisecond, c.Shown)
		c.Advance(8 * time.Millisecond)
	}
}
