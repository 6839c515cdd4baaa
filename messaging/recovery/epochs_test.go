package recovery_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/central"
	"example.org/doorway/messaging/recovery"
	"example.org/doorway/messaging/token/suzukikasami"
)

// If a detector is wrong there may be two epochs, but at most one node is inside in each.
func TestOneAnEpoch(t *testing.T) {
	skipWithRace(t)
	for _, p := range []messaging.Protocol{central.Protocol, suzukikasami.Protocol}[:tier.Pick(1, 2)] {
		a, rule := recovery.ByEpoch(p, recovery.Config{})
		report, err := explore.CheckNodes(explore.NodesConfig{
			New: a, Nodes: 3, Requests: []int{1, 1, 0}, Detected: true, Suspicions: 1, Invariant: rule, Memory: 1 << 30,
		})
		require.NoError(t, err, p.Name)
		assert.Equal(t, explore.Holds, report.Invariant.Status, "%s: %v", p.Name, report.Invariant.History)
	}
}

// Two nodes of three crash, at any time, also while the others regenerate; or one of four.
func TestMoreCrashes(t *testing.T) {
	tier.NeedsFull(t, "visits a million states")
	for _, p := range []messaging.Protocol{central.Protocol, suzukikasami.Protocol} {
		r := recovery.Of(p, recovery.Config{})
		a, err := r.New(4)
		require.NoError(t, err)
		for _, c := range []explore.NodesConfig{
			{Nodes: 3, Unordered: true, Crashes: 2},
			{Nodes: 4, Requests: []int{1, 1, 0, 0}, Crashes: 1},
		} {
			c.New, c.Detected, c.Invariant, c.Memory = a, true, r.Invariant, 1<<30
			report, err := explore.CheckNodes(c)
			require.NoError(t, err, p.Name)
			for what, v := range map[string]explore.NodesVerdict{
				"mutual exclusion": report.MutualExclusion, "invariant": report.Invariant, "progress": report.StarvationFree,
			} {
				assert.Equal(t, explore.Holds, v.Status, "%s, %s: %v", p.Name, what, v.History)
			}
		}
	}
}
