package maekawa

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/node/votingtest"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/quorum"
	"example.org/doorway/messaging/sim"
)

// In all schedules there is one Locked for each entry and other member of the
// quorum, and one for each Relinquish. On average an entry takes at most 5(K-1)
// messages, but single ones take more.
func TestMessagesOfConflicts(t *testing.T) {
	for _, s := range []quorum.System{
		system(t, quorum.Plane, 3), system(t, quorum.Plane, 7), system(t, quorum.Plane, 13), system(t, quorum.Grid, 9),
	} {
		k := s.Properties().Size.Most
		worst := 0
		for seed := range uint64(100) {
			r, about := run(t, s, sim.Config{
				Load: sim.HighLoad{}, Entries: 3 * s.Nodes(), Latency: sim.Exponential(sim.T),
				Seed: seed, Unordered: seed%2 == 0,
			})
			assert.Equal(t, (k-1)*r.Entries+r.Kinds["RELINQUISH"], r.Kinds["LOCKED"], "%v, seed %d: times Locked", s, seed)
			assert.LessOrEqual(t, r.Messages, 5*(k-1)*r.Entries, "%v, seed %d: messages for %d entries", s, seed, r.Entries)
			for _, n := range about {
				worst = max(worst, n)
			}
		}
		if s.Nodes() == 13 {
			assert.Greater(t, worst, 5*(k-1), "%v: the most messages to an entry", s)
		}
	}
}

// run runs nodes of s in the simulator.
func run(t *testing.T, s quorum.System, c sim.Config) (sim.Report, map[messaging.Stamp]int) {
	t.Helper()
	return votingtest.Run(t, New(s), s.Nodes(), c)
}

// A node that is not in its own quorum asks one node more.
func TestMessagesOfStranger(t *testing.T) {
	s, err := quorum.Sets([][]messaging.ID{{1, 2}, {0, 2}, {0, 1}})
	require.NoError(t, err)
	r, _ := run(t, s, sim.Config{Load: sim.Script{{Node: 0}}})
	assert.Equal(t, map[string]int{"REQUEST": 2, "LOCKED": 2, "RELEASE": 2}, r.Kinds)
}

// Any two of seven nodes share one member. The second asks while the first is inside.
func TestSynchronisationDelay(t *testing.T) {
	s := system(t, quorum.Plane, 7)
	for i := range messaging.ID(7) {
		for j := range messaging.ID(7) {
			if i == j {
				continue
			}
			want := 2 * sim.T
			if slices.Contains(s.Of(j), i) || slices.Contains(s.Of(i), j) {
				want = sim.T
			}
			r, _ := run(t, s, sim.Config{Load: sim.Script{{Node: i, Stay: 10 * sim.T}, {Node: j, At: 3 * sim.T}}})
			assert.Equal(t, want, r.SyncDelay.Sum, "the time from the exit of %d to the entry of %d", i, j)
		}
	}
}
