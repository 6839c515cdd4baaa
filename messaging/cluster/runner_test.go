package cluster

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/messaging"
)

// rests is a node without events.
type rests struct{ messaging.Exclusion }

// A long-lived cluster creates more runners than 32 bits can count: one for every
// timer.
func TestNoTwoRunnersHaveTheSameNumber(t *testing.T) {
	c := New(3, func(messaging.Start) messaging.Node { return rests{} })
	taken := map[uint64]bool{0: true} // 0 means no runner
	for i := range c.members {
		taken[c.members[i].runner.number] = true
	}
	c.runners.Store(math.MaxUint32 - 2)
	for range 6 {
		assert.NotContains(t, taken, c.newRunner().number, "two runners have the same number")
	}
}
