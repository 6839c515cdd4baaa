package reliable_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/multicast"
	"example.org/doorway/messaging/multicast/reliable"
	"example.org/doorway/messaging/sim"
)

// randomly returns a run without a detector, in which nodes send, join, leave and crash at random. Late in the run each
// node sends once more, so that a member awaits all others, and finds out which ones are down.
func randomly(seed uint64) sim.Config {
	r := rand.New(rand.NewPCG(seed, 0))
	nodes := 2 + r.IntN(6)
	c := sim.Config{
		Algorithm: reliable.New(4*sim.T, 2), Nodes: nodes, Seed: seed,
		Latency: sim.Uniform(sim.T/2, 3*sim.T/2), Patience: 10_000 * sim.T, Results: multicast.Synchronous,
	}
	at := func() time.Duration { return time.Duration(r.Int64N(int64(60 * sim.T))) }
	for range r.IntN(31) {
		m := [...]messaging.Message{a, join, leave}[r.IntN(3)]
		c.Inputs = append(c.Inputs, sim.Input{Node: messaging.ID(r.IntN(nodes)), At: at(), Message: m})
	}
	for range r.IntN(nodes) {
		c.Crashes = append(c.Crashes, sim.Crash{Node: messaging.ID(r.IntN(nodes)), At: at()})
	}
	for i := range messaging.ID(nodes) {
		c.Inputs = append(c.Inputs, sim.Input{Node: i, At: 1000 * sim.T, Message: b})
	}
	return c
}

// If timeouts are longer than a round trip, a run ends, and all live members agree, whatever users want
// and whoever crashes, also when it has sent a message to some only.
func TestSilenceAtRandom(t *testing.T) {
	for seed := range uint64(tier.Pick(200, 20_000)) {
		c := randomly(seed)
		_, err := sim.Run(c)
		require.NoError(t, err, "seed %d", seed)
		c.Algorithm = midway(reliable.New(40*sim.T, 2), sim.T/2)
		_, err = sim.Run(c)
		require.NoError(t, err, "seed %d, midway", seed)
	}
}
