package total_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/multicast"
	"example.org/doorway/messaging/multicast/total"
	"example.org/doorway/messaging/sim"
)

// A lone message is delivered after two delays at its sender and elsewhere. If all nodes send at the same time, the
// one with the oldest timestamp is after one: the others acknowledge it. These need an Ack of node 0, but not at node 0.
func TestDelay(t *testing.T) {
	delivered := func(senders int) (at [3][]int) {
		c := sim.Config{Algorithm: total.New, Nodes: 3}
		for i := range senders {
			c.Inputs = append(c.Inputs, sim.Input{Node: messaging.ID(i), Message: multicast.Send{Body: "x"}})
		}
		c.Observe = func(e messaging.Event) {
			if d, ok := e.Message.(multicast.Delivered); ok {
				at[d.From] = append(at[d.From], int(e.At/sim.T))
			}
		}
		_, err := sim.Run(c)
		require.NoError(t, err)
		return at
	}
	assert.Equal(t, [3][]int{{2, 2, 2}}, delivered(1))
	assert.Equal(t, [3][]int{{1, 1, 1}, {1, 2, 2}, {2, 2, 2}}, delivered(3))
}
