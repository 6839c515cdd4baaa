package recovery_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/nodetest"
	"example.org/doorway/messaging/permission/central"
	"example.org/doorway/messaging/recovery"
	"example.org/doorway/messaging/token/naimitrehel"
	"example.org/doorway/messaging/token/raymond"
	"example.org/doorway/messaging/token/singhal"
	"example.org/doorway/messaging/token/suzukikasami"
	"example.org/doorway/messaging/token/tokenring"
)

var recovered = []messaging.Protocol{
	central.Protocol, suzukikasami.Protocol, raymond.Protocol, naimitrehel.Protocol, singhal.Protocol, tokenring.Protocol,
}

// A detected crash of any node in any phase blocks no other, and there is one token.
func TestDetectedCrash(t *testing.T) {
	for _, p := range recovered {
		t.Run(p.Name, func(t *testing.T) {
			r := recovery.Of(p, recovery.Config{})
			a, err := r.New(3)
			require.NoError(t, err)
			report, err := explore.CheckNodes(explore.NodesConfig{
				New: a, Nodes: 3, Unordered: !p.FIFO, Crashes: 1, Detected: true, Perpetual: p.Perpetual, Invariant: r.Invariant, Memory: 1 << 30,
			})
			require.NoError(t, err)
			t.Logf("%d states, %d bytes", report.States, report.Bytes)
			for what, v := range map[string]explore.NodesVerdict{
				"mutual exclusion": report.MutualExclusion, "invariant": report.Invariant, "progress": report.StarvationFree,
			} {
				assert.Equal(t, explore.Holds, v.Status, "%s: %v", what, v.History)
			}
		})
	}
}

// Random schedules, with the contract of nodes.
func TestContract(t *testing.T) {
	for _, p := range recovered {
		t.Run(p.Name, func(t *testing.T) {
			r := recovery.Of(p, recovery.Config{})
			a, err := r.New(4)
			require.NoError(t, err)
			var schedules []nodetest.Config
			for seed := range uint64(5000) {
				schedules = append(schedules, nodetest.Config{
					Nodes: 4, Seed: seed, Entries: 24, Unordered: !p.FIFO, Perpetual: p.Perpetual, Invariant: r.Invariant,
					Crashes: 3, Restarts: 2, Detected: true, Withdraw: 0.1,
				})
			}
			for _, c := range schedules {
				require.NoError(t, nodetest.Run(a, c))
			}
			require.NoError(t, nodetest.Check(a, r.Kinds, schedules[:60]...))
		})
	}
}
