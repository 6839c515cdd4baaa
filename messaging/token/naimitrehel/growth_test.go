package naimitrehel_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/action"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
	"example.org/doorway/messaging/token/naimitrehel"
)

// Many nodes enter many times: 100,000 nodes and 1,000,000 entries in the full tests.
// Nodes keep nothing for each other node, so memory grows with the nodes.
func TestManyNodes(t *testing.T) {
	nodes, entries := tier.Pick(10_000, 100_000), tier.Pick(20_000, 1_000_000)
	for what, load := range map[string]sim.Load{"low": sim.LowLoad{Random: true}, "high": sim.HighLoad{}} {
		before, most, entered := live(), uint64(0), 0
		begin := time.Now()
		r, err := sim.Run(sim.Config{
			Algorithm: naimitrehel.New, Nodes: nodes, Load: load, Entries: entries, Seed: 1,
			Observe: func(e messaging.Event) {
				if e.Action != action.Entered {
					return
				}
				if entered++; entered%(entries/4) == 0 {
					most = max(most, live())
				}
			},
		})
		require.NoError(t, err)
		require.Greater(t, most, before)
		each := (most - before) / uint64(nodes)
		t.Logf("%d nodes at %s load: %d entries, %.2f messages each, in %v, %d bytes a node",
			nodes, what, r.Entries, r.PerEntry, time.Since(begin).Round(time.Millisecond), each)
		assert.Equal(t, entries, r.Entries)
		assert.LessOrEqual(t, each, uint64(1000), "bytes a node, with its part of the simulator")
	}
}

// live collects garbage and returns how many bytes are left.
func live() uint64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}
