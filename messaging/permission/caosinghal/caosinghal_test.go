package caosinghal

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/node/votingtest"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/nodetest"
	"example.org/doorway/messaging/permission/quorum"
	"example.org/doorway/messaging/sim"
)

func system(t *testing.T, build func(int) (quorum.System, error), nodes int) quorum.System {
	t.Helper()
	s, err := build(nodes)
	require.NoError(t, err)
	return s
}

// all is the system in which each of the nodes asks all of them.
func all(nodes int) (quorum.System, error) { return quorum.Sets(votingtest.All(nodes)) }

// central is the system in which each of the nodes asks node 0 only.
func central(nodes int) (quorum.System, error) {
	return quorum.Sets(slices.Repeat([][]messaging.ID{{0}}, nodes))
}

func systems(t *testing.T) []quorum.System {
	t.Helper()
	return []quorum.System{
		system(t, quorum.Plane, 1), system(t, all, 2), system(t, quorum.Plane, 3), system(t, all, 3),
		system(t, central, 4), system(t, quorum.Grid, 4), system(t, all, 4), system(t, quorum.Majority, 5),
		system(t, quorum.Grid, 6), system(t, quorum.Plane, 7), system(t, quorum.Grid, 9), system(t, quorum.Plane, 13),
	}
}

// measure runs nodes of s in the simulator.
func measure(t *testing.T, s quorum.System, c sim.Config) (sim.Report, map[messaging.Stamp]int) {
	t.Helper()
	return votingtest.Run(t, New(s), s.Nodes(), c)
}

// others returns K-1, if i is in its own quorum.
func others(s quorum.System, i messaging.ID) int {
	members := s.Of(i)
	if slices.Contains(members, i) {
		return len(members) - 1
	}
	return len(members)
}

// TestMessages: each entry takes at least 3(K-1) messages; the average of a
// schedule is mostly about 5(K-1) and never above 6(K-1). That does not bound a
// single entry.
func TestMessages(t *testing.T) {
	beyond := 0
	for _, s := range systems(t) {
		if s.Nodes() == 1 || others(s, 0) == 0 {
			continue
		}
		all, atOne := 0, 0 // messages, and how many one for each other member would be
		for seed := range uint64(tier.Pick(200, 600) / s.Nodes()) {
			sum, unit := 0, 0
			for r, took := range messages(t, s, seed) {
				k := others(s, r.ID)
				sum += took
				unit += k
				if took < 3*k {
					t.Errorf("%v, seed %d: %+v took %d messages, want %d at least", s, seed, r, took, 3*k)
				}
				if took > 6*k {
					beyond++
				}
			}
			assert.LessOrEqual(t, sum, 6*unit, "%v, seed %d: messages of all entries", s, seed)
			all += sum
			atOne += unit
		}
		if mean := float64(all) / float64(atOne); mean < 4.7 || mean > 5.1 {
			t.Errorf("%v: %.2f (K-1) messages an entry, want about 5", s, mean)
		}
	}
	assert.NotZero(t, beyond, "no entry took more than 6(K-1): the package comment is wrong")
}

// messages returns the number of messages of each request in a run in which mostly
// all nodes ask.
func messages(t *testing.T, s quorum.System, seed uint64) map[messaging.Stamp]int {
	t.Helper()
	_, about := measure(t, s, sim.Config{
		Load: sim.HighLoad{}, Entries: 10 * s.Nodes(), Latency: sim.Exponential(sim.T), Unordered: seed%2 == 0, Seed: seed,
	})
	return about
}

// long is time enough for all messages to arrive.
const long = 100 * sim.T

// oneMessage runs the script, in which that number of exits leave a node waiting,
// and checks that each of them has a synchronization delay of T.
func oneMessage(t *testing.T, s quorum.System, script sim.Script, exits int) {
	t.Helper()
	r, _ := measure(t, s, sim.Config{Load: script})
	if d := r.SyncDelay; d.Count != exits || exits > 0 && (d.Shortest != sim.T || d.Longest != sim.T) {
		t.Errorf("%v: %d exits left a node waiting, with a delay of %v, want %d, and T", s, d.Count, d, exits)
	}
}

// TestDelay: the synchronization delay is T for every pair of nodes.
func TestDelay(t *testing.T) {
	for _, s := range systems(t) {
		for i := range messaging.ID(s.Nodes()) {
			for j := range messaging.ID(s.Nodes()) {
				if i != j {
					oneMessage(t, s, sim.Script{
						{Node: i, Stay: long},
						{Node: j, At: long / 2},
						{Node: i, At: 3 * long, Stay: long},
						{Node: j, At: 3*long + long/2},
					}, 2)
				}
			}
		}
	}
}

// TestDelayWithoutTransfer: a node that leaves before the Transfer arrives returns
// the lock to the arbiter.
func TestDelayWithoutTransfer(t *testing.T) {
	// Node 1 enters at 2 T. The request of node 2 comes to node 0 at 11 T, and the
	// transfer would come to node 1 at 12 T.
	for leaves, want := range map[time.Duration]time.Duration{23 * sim.T / 2: 2 * sim.T, 25 * sim.T / 2: sim.T} {
		r, _ := measure(t, system(t, central, 3), sim.Config{
			Load: sim.Script{{Node: 1, Stay: leaves - 2*sim.T}, {Node: 2, At: 10 * sim.T}},
		})
		assert.Equal(t, 1, r.SyncDelay.Count, "node 1 leaves at %v, node 2 enters: %v", leaves, r.SyncDelay)
		assert.Equal(t, want, r.SyncDelay.Sum, "node 1 leaves at %v, and node 2 enters", leaves)
	}
}

// TestDelayAfterWithdrawal: the next request is withdrawn, and the one after it
// still enters after T.
func TestDelayAfterWithdrawal(t *testing.T) {
	for _, s := range systems(t) {
		if s.Nodes() >= 3 {
			oneMessage(t, s, sim.Script{
				{Node: 0, Stay: 4 * long}, {Node: 1, At: long, GiveUp: 3 * long}, {Node: 2, At: 2 * long},
			}, 1)
		}
	}
}

func TestWrongNumberOfNodes(t *testing.T) {
	assert.PanicsWithValue(t, "caosinghal: node 1 is one of 3, but the quorums are for 2 nodes (sets, 2 nodes)",
		func() { New(system(t, all, 2))(messaging.Start{Self: 1, Nodes: 3}) })
}

// Quorums that the catalog does not choose: all, one, and those of a grid.
func TestSchedules(t *testing.T) {
	for _, s := range systems(t) {
		for seed := range uint64(tier.Pick(300, 3000) / s.Nodes()) {
			require.NoError(t, nodetest.Run(New(s), nodetest.Config{
				Nodes: s.Nodes(), Seed: seed, Unordered: seed%2 == 0, Withdraw: float64(seed%3) / 4,
			}), "%v", s)
		}
	}
}
