package messaging_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/messaging"
)

// A tick is later than all stamps witnessed, and than all earlier ticks.
func TestClock(t *testing.T) {
	var c messaging.Clock
	stamp := func(time messaging.Time, id messaging.ID) messaging.Stamp { return messaging.Stamp{Time: time, ID: id} }
	assert.Equal(t, stamp(1, 2), c.Tick(2), "the first")
	c.Witness(stamp(7, 3))
	assert.Equal(t, messaging.Clock(7), c)
	c.Witness(stamp(4, 9))
	assert.Equal(t, messaging.Clock(7), c, "an earlier stamp does not set it back")
	assert.Equal(t, stamp(8, 2), c.Tick(2))
}
