package majority_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/maekawa"
	"example.org/doorway/messaging/permission/majority"
	"example.org/doorway/messaging/permission/quorum"
	"example.org/doorway/messaging/sim"
)

// A crash in any phase, of which each node learns at any time after it, costs neither mutual
// exclusion nor progress.
func TestEveryCrash(t *testing.T) {
	for _, c := range []struct {
		a        messaging.Algorithm
		requests []int
		full     bool
	}{
		{majority.New, []int{1, 1, 1}, false},
		{majority.New, []int{1, 1, 0, 0}, false},
		{majority.NewChoosing, []int{1, 1, 0}, false},
		{majority.NewChoosing, []int{1, 1, 1}, true},
		{majority.NewChoosing, []int{1, 1, 0, 0}, true},
		{majority.New, []int{2, 2, 1}, true},
	} {
		if c.full && !tier.Full {
			continue
		}
		began := time.Now()
		r, err := explore.CheckNodes(explore.NodesConfig{
			New: c.a, Nodes: len(c.requests), Requests: c.requests, Crashes: 1, Detected: true, Workers: 1,
		})
		require.NoError(t, err)
		t.Logf("requests %v: %d states, %v", c.requests, r.States, time.Since(began).Round(time.Millisecond))
		for _, f := range r.Failures() {
			t.Errorf("requests %v: %v", c.requests, f)
		}
		assert.Equal(t, explore.Holds, r.MutualExclusion.Status)
		assert.Equal(t, explore.Holds, r.StarvationFree.Status)
	}
}

// Any minority crashes at any time, and the others learn of it soon or late: each request of a
// live node is granted.
func TestCrashesAtRandom(t *testing.T) {
	told := 0
	for seed := range uint64(tier.Fewer(1000)) {
		nodes := 3 + int(seed%6)
		a := majority.New
		if seed%4 < 2 {
			a = majority.NewChoosing
		}
		c := sim.Config{
			Algorithm: a, Nodes: nodes, Seed: seed,
			Load: sim.HighLoad{Think: sim.Uniform(0, 20*sim.T)}, Entries: 3 * nodes,
			Stay: sim.Uniform(0, 5*sim.T), Latency: sim.Uniform(0, 3*sim.T), Unordered: seed%2 == 0,
			GiveUp: float64(seed%3) / 8, Detection: sim.Uniform(0, 10*sim.T),
		}
		r := rand.New(rand.NewPCG(seed, 18))
		for _, i := range r.Perm(nodes)[:1+r.IntN((nodes+1)/2-1)] {
			c.Crashes = append(c.Crashes, sim.Crash{Node: messaging.ID(i), At: time.Duration(r.Int64N(int64(40 * sim.T)))})
		}
		report, err := sim.Run(c)
		require.NoError(t, err, "%d nodes, seed %d", nodes, seed)
		assert.GreaterOrEqual(t, report.Entries, c.Entries-nodes, "%d nodes, seed %d: entries", nodes, seed)
		told += len(report.Emits)
	}
	assert.GreaterOrEqual(t, told, 3*tier.Fewer(1000), "nodes that were told: what is tested here?")
}

// After a crash, New asks the quorums of quorum.Majority without the crashed nodes.
func TestNewAsksALiveMajority(t *testing.T) {
	for nodes := 3; nodes <= 8; nodes++ {
		quorums, err := quorum.Majority(nodes)
		require.NoError(t, err)
		for i := range messaging.ID(nodes) {
			var down messaging.Set
			for k := 1; k < nodes; k += 2 {
				s := messaging.NewSite(majority.New, messaging.Start{Self: i, Nodes: nodes}, nil)
				down.Add((i + messaging.ID(k)) % messaging.ID(nodes))
				for j := range down.All() {
					s.Down(j)
				}
				s.Request()
				want, ok := quorums.Without(i, down)
				if !ok {
					assert.Empty(t, s.Sends, "node %d of %d without %v", i, nodes, down)
					continue
				}
				assert.ElementsMatch(t, want, append(asked(s), i), "node %d of %d without %v", i, nodes, down)
			}
		}
	}
}

// A request that waits for the vote of a node that crashes asks one node more, not asked before;
// a vote that it has got counts.
func TestRequestMovesByOneVoter(t *testing.T) {
	for _, a := range []messaging.Algorithm{majority.New, majority.NewChoosing} {
		r := rand.New(rand.NewPCG(1, 2))
		for range 20 {
			s := messaging.NewSite(a, messaging.Start{Nodes: 7}, r.IntN)
			s.Request()
			first := asked(s)
			require.Len(t, first, 3)
			s.Done()
			mine := messaging.Stamp{Time: 1}
			s.Receive(first[0], maekawa.Locked{To: mine})
			s.Down(first[0])
			assert.Empty(t, s.Sends, "it has that vote")
			s.Down(first[1])
			second := asked(s)
			require.Len(t, second, 1)
			require.NotContains(t, append(first, 0), second[0])
			s.Done()
			s.Receive(second[0], maekawa.Locked{To: mine})
			assert.Equal(t, messaging.Waiting, s.Phase())
			s.Receive(first[2], maekawa.Locked{To: mine})
			assert.Equal(t, messaging.Inside, s.Phase())
		}
	}
}

// With too few nodes up, a request asks none, and waits.
func TestNoMajority(t *testing.T) {
	for _, a := range []messaging.Algorithm{majority.New, majority.NewChoosing} {
		s := messaging.NewSite(a, messaging.Start{Nodes: 4}, rand.New(rand.NewPCG(1, 2)).IntN)
		s.Down(1)
		s.Down(3)
		s.Request()
		assert.Empty(t, s.Sends)
		assert.Equal(t, messaging.Waiting, s.Phase())
	}
}
