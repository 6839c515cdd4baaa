package catalog_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/election/firewire"
	"example.org/doorway/messaging/nodetest"
	"example.org/doorway/messaging/sim"
)

// Every system comes to the right results in random schedules, with timeouts and without.
func TestSystemsInSchedules(t *testing.T) {
	for _, s := range catalog.Systems {
		for seed := range uint64(50) {
			n := int(seed%5) + 1
			a, err := s.Protocol.New(n)
			require.NoError(t, err)
			if s.Timed != nil && seed%2 == 0 {
				a = s.Timed(sim.T)
			}
			c := nodetest.Config{
				Nodes: n, Seed: seed, Unordered: !s.Protocol.FIFO && seed%3 == 0,
				Results: s.Protocol.Results, Inputs: make([][]messaging.Message, n),
			}
			if s.Protocol.Perpetual {
				c.Perpetual, c.Steps = true, 500
			}
			holders := 1 + int(seed/5)%n
			if s.Protocol.Name == firewire.Protocol.Name || s.Protocol.Name == firewire.ByID.Name {
				holders = n // as all notice a bus reset
			}
			for i := range holders {
				c.Inputs[i] = s.Trial.Inputs(n)[i]
			}
			require.NoError(t, nodetest.Run(a, c), "%s, seed %d", s.Name, seed)
		}
	}
}

// A system has a name that no protocol has.
func TestSystemsAreFound(t *testing.T) {
	for _, s := range catalog.Systems {
		found, ok := catalog.FindSystem(s.Name)
		require.True(t, ok, s.Name)
		require.Equal(t, s.Protocol.Name, s.Name)
		require.Equal(t, s.Import, found.Import)
		_, ok = catalog.FindProtocol(s.Name)
		require.False(t, ok, s.Name)
	}
}
