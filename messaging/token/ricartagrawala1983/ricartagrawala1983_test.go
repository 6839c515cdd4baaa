package ricartagrawala1983_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
	"example.org/doorway/messaging/token/ricartagrawala1983"
	"example.org/doorway/messaging/token/suzukikasami"
)

// Requests may arrive twice: those that are served have no effect. So it is in the algorithm of Suzuki and Kasami.
func TestRepeatedRequests(t *testing.T) {
	for seed := range tier.Pick[uint64](100, 1000) {
		r, err := sim.Run(sim.Config{
			Algorithm: []messaging.Algorithm{ricartagrawala1983.New, suzukikasami.New}[seed%2], Nodes: 5, Seed: seed,
			Load: sim.HighLoad{Think: sim.Uniform(0, 10*sim.T)}, Entries: 60, Latency: sim.Exponential(sim.T), Unordered: true,
			Except: []sim.Exception{{Kind: "REQUEST", Double: true, Latency: sim.Uniform(0, 40*sim.T)}},
		})
		require.NoError(t, err)
		assert.Equal(t, 60, r.Entries)
		assert.Equal(t, 4*r.Kinds["TOKEN"], r.Kinds["REQUEST"], "a token for each request")
	}
}
