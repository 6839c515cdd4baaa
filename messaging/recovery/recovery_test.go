package recovery_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/tier"
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

// A detected crash of any node in any phase blocks no other. There is at most one token: one epoch is live at
// a time, and has at most one. Who waits enters, so there is one.
func TestDetectedCrash(t *testing.T) {
	skipWithRace(t)
	for _, p := range recovered {
		t.Run(p.Name, func(t *testing.T) {
			r := recovery.Of(p, recovery.Config{})
			a, err := r.New(3)
			require.NoError(t, err)
			report, err := explore.CheckNodes(explore.NodesConfig{
				New: a, Nodes: 3, Unordered: !p.FIFO, Crashes: 1, Detected: true, Perpetual: p.Perpetual, Memory: 1 << 30,
				Invariant: recovery.OneLive(r.Invariant),
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

// Nodes crash and start again at random times, also while others regenerate. Each that waits enters, unless
// all that took part in the last epoch have crashed, and not all nodes are up.
func TestRestarts(t *testing.T) {
	seeds := uint64(tier.Fewer(tier.Pick(200, 5000)))
	for _, p := range recovered {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			r := recovery.Of(p, recovery.Config{})
			blocked := 0
			for seed := range seeds {
				n := 2 + int(seed%4)
				a, err := r.New(n)
				require.NoError(t, err)
				c := schedule(r, n, seed)
				if seed%3 == 0 {
					c.Crashes, c.Restarts = 2*n, n+int(seed)%n // some stay down
				}
				var last []messaging.Node
				rule := c.Invariant
				c.Invariant = func(nodes []messaging.Node, transit []messaging.Event) error {
					last = append(last[:0], nodes...)
					return rule(nodes, transit)
				}
				if err := nodetest.Run(a, c); nodetest.Failure(err) != "deadlock" || recovery.Kept(last) {
					require.NoError(t, err)
				} else {
					blocked++
				}
			}
			assert.NotZero(t, blocked)
		})
	}
}

// In one of 10,000 schedules, and in these, nodes wait forever unless each of the conditions under which a node
// leaves a Suspect to the leader holds: that it has not named the epoch, and does not regenerate.
func TestSuspectsThatTheLeaderDoesNotGet(t *testing.T) {
	r := recovery.Of(central.Protocol, recovery.Config{})
	for _, c := range []nodetest.Config{
		{Seed: 11813, Nodes: 4, Crashes: 4, Restarts: 2, Unordered: false},
		{Seed: 19502, Nodes: 3, Crashes: 2, Restarts: 2, Unordered: true},
	} {
		a, err := r.New(c.Nodes)
		require.NoError(t, err)
		c.Entries, c.Withdraw, c.Detected, c.Invariant = 12, 0.1, true, r.Invariant
		require.NoError(t, nodetest.Run(a, c))
	}
}

// schedule is a random one with crashes that are detected: of some nodes, of which some start again, or
// more, and all do.
func schedule(r messaging.Protocol, nodes int, seed uint64) nodetest.Config {
	c := nodetest.Config{
		Nodes: nodes, Seed: seed, Entries: 24, Withdraw: 0.1, Unordered: !r.FIFO, Perpetual: r.Perpetual, Invariant: recovery.OneLive(r.Invariant),
		Crashes: nodes - 1, Restarts: int(seed % uint64(nodes)), Detected: true,
	}
	if seed%2 == 1 {
		c.Crashes, c.Restarts = 6, 6
	}
	return c
}

// skipWithRace skips what starts no goroutine.
func skipWithRace(t *testing.T) {
	t.Helper()
	if tier.Race {
		t.Skip("nodes are sequential: the race detector finds nothing")
	}
}

// The nodes keep the contract of nodes.
func TestContract(t *testing.T) {
	skipWithRace(t)
	for _, p := range recovered {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			r := recovery.Of(p, recovery.Config{})
			a, err := r.New(4)
			require.NoError(t, err)
			schedules := make([]nodetest.Config, 30)
			for k := range schedules {
				schedules[k] = schedule(r, 4, uint64(k))
			}
			require.NoError(t, nodetest.Check(a, r.Kinds, schedules...))
		})
	}
}
