package naimitrehel_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging/sim"
	"example.org/doorway/messaging/token/naimitrehel"
)

// Many nodes enter many times: 100,000 nodes and 1,000,000 entries in the full tests.
// Nodes keep nothing for each other node, so memory grows with the nodes.
func TestManyNodes(t *testing.T) {
	nodes, entries := tier.Pick(10_000, 100_000), tier.Pick(20_000, 1_000_000)
	for what, load := range map[string]sim.Load{"low": sim.LowLoad{Random: true}, "high": sim.HighLoad{}} {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		begin := time.Now()
		r, err := sim.Run(sim.Config{Algorithm: naimitrehel.New, Nodes: nodes, Load: load, Entries: entries, Seed: 1})
		require.NoError(t, err)
		runtime.ReadMemStats(&after)
		each := (after.Sys - before.Sys) / uint64(nodes)
		t.Logf("%d nodes at %s load: %d entries, %.2f messages each, in %v, %d bytes a node",
			nodes, what, r.Entries, r.PerEntry, time.Since(begin).Round(time.Millisecond), each)
		assert.Equal(t, entries, r.Entries)
		assert.LessOrEqual(t, each, uint64(4000), "bytes a node, with its part of the simulator")
	}
}
