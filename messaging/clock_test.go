package messaging_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/messaging"
)

// What ticks is later than all that was witnessed, and than what ticked before.
func TestClock(t *testing.T) {
	var c messaging.Clock
	stamp := func(time messaging.Time, id messaging.ID) messaging.Stamp { return messaging.Stamp{Time: time, ID: id} }
	assert.Equal(t, stamp(1, 2), c.Tick(2), "the first")
	c.Witness(stamp(7, 3))
	assert.Equal(t, messaging.Clock(7), c)
	c.Witness(stamp(4, 9))
	assert.Equal(t, messaging.Clock(7), c, "what is earlier does not set it back")
	assert.Equal(t, stamp(8, 2), c.Tick(2))
}
