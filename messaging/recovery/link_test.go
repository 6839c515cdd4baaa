package recovery_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/link"
	"example.org/doorway/messaging/recovery"
	"example.org/doorway/messaging/sim"
	"example.org/doorway/messaging/snapshot"
	"example.org/doorway/messaging/token/suzukikasami"
	"example.org/doorway/messaging/topology"
)

// A link over recovery repeats what is lost, but drops what is sent to a node of which the sender does
// not know yet that it has started again; a probe, too. A link below it does not repeat what recovery itself
// sends.
func TestLinks(t *testing.T) {
	skipWithRace(t)
	repeats := link.Config{Timeout: 4 * sim.T, Tick: sim.T / 4}
	c := recovery.Config{Answer: 60 * sim.T, Coordinator: 120 * sim.T}
	over := recovery.Over(suzukikasami.Protocol, c)
	for name, a := range map[string]messaging.Algorithm{
		"link over recovery":               link.Over(over, repeats),
		"link over snapshot over recovery": link.Over(snapshot.Over(over, topology.Complete(4)), repeats),
		"link over recovery over snapshot": link.Over(recovery.Over(snapshot.Of(suzukikasami.Protocol, topology.Complete), c), repeats),
	} {
		for seed := range uint64(tier.Pick(10, 120)) {
			for _, loss := range []float64{0, 0.1} {
				_, err := sim.Run(lossy(a, seed, loss))
				require.NoError(t, err, "%s, seed %d, loss %v", name, seed, loss)
			}
		}
	}
	below, failed := recovery.Over(link.Of(suzukikasami.Protocol, repeats), c), 0
	for seed := range uint64(20) {
		if _, err := sim.Run(lossy(below, seed, 0.1)); err != nil {
			failed++
		}
	}
	assert.Positive(t, failed, "recovery over links")
}

// lossy has one of four nodes crash, and in half of all seeds start again.
func lossy(a messaging.Algorithm, seed uint64, loss float64) sim.Config {
	var script sim.Script
	for k := range 12 {
		script = append(script, sim.Request{Node: messaging.ID(k % 4), At: time.Duration(k*int(seed%7+1)) * 2 * sim.T})
	}
	crash := sim.Crash{Node: messaging.ID(seed % 4), At: time.Duration(seed%40) * sim.T}
	if seed%2 == 0 {
		crash.Restart = crash.At + 30*sim.T
	}
	return sim.Config{
		Algorithm: a, Nodes: 4, Load: script, Stay: sim.Constant(3 * sim.T), Seed: seed, Loss: loss,
		Crashes: []sim.Crash{crash}, Detection: sim.Constant(5 * sim.T), Patience: 10_000 * sim.T,
	}
}
