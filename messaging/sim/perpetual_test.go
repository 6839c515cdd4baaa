package sim_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/messaging/election"
	"example.org/doorway/messaging/election/bully"
	"example.org/doorway/messaging/election/heartbeat"
	"example.org/doorway/messaging/sim"
)

// Nodes that are no locks have no requests, and run until Until.
func TestPerpetualWithoutLocks(t *testing.T) {
	c := sim.Config{
		Algorithm: heartbeat.Over(bully.New(3*sim.T, 6*sim.T), heartbeat.Config{Period: 2 * sim.T, Timeout: 6 * sim.T}),
		Nodes:     3, Perpetual: true, Results: election.Results,
		Inputs: []sim.Input{{Node: 0, At: sim.T, Message: election.Hold{}}},
	}
	_, err := sim.Run(c)
	require.ErrorContains(t, err, "Config.Until is 0: a perpetual run of a *heartbeat.node, which is no Exclusion, needs an end")
	c.Until = 100 * sim.T
	r, err := sim.Run(c)
	require.NoError(t, err)
	assert.Equal(t, c.Until, r.Time)
	assert.Len(t, r.Emits, 3)
}
