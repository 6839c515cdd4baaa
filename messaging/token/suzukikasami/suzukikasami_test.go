package suzukikasami_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
	"example.org/doorway/messaging/token/suzukikasami"
)

// Nodes that ask while another is inside enter in ascending order; those that ask
// later queue behind them, whatever their numbers.
func TestOrder(t *testing.T) {
	r, err := sim.Run(sim.Config{
		Algorithm: suzukikasami.New, Nodes: 5, Holder: 2, Stay: sim.Constant(10 * sim.T), Order: true,
		Load: sim.Script{{Node: 2}, {Node: 4, At: sim.T}, {Node: 3, At: 2 * sim.T}, {Node: 0, At: 15 * sim.T}, {Node: 1, At: 16 * sim.T}},
	})
	require.NoError(t, err)
	var order []messaging.ID
	for _, v := range r.Order {
		order = append(order, v.Node)
	}
	assert.Equal(t, []messaging.ID{2, 3, 4, 0, 1}, order)
}
