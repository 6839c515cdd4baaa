package ring_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/election"
	"example.org/doorway/messaging/election/ring"
	"example.org/doorway/messaging/sim"
)

var hold = []messaging.Message{election.Hold{}}

// held runs an election that the first holders on a ring hold at the same time. The largest leads.
func held(t *testing.T, a messaging.Algorithm, order []messaging.ID, holders int) sim.Report {
	t.Helper()
	c := sim.Config{Algorithm: a, Nodes: len(order), Results: election.OneAtATime}
	for _, i := range order[:holders] {
		c.Inputs = append(c.Inputs, sim.Input{Node: i, Message: election.Hold{}})
	}
	r, err := sim.Run(c)
	require.NoError(t, err, "%v, %d hold it", order, holders)
	require.Len(t, r.Emits, len(order), "%v, %d hold it: each node learns of the leader once", order, holders)
	require.Equal(t, messaging.ID(len(order)-1), r.Emits[0].Message.(election.Elected).Leader)
	return r
}

// order is a ring whose order is not that of the numbers: 0, 7, 14, … modulo n.
func order(n int) (ring []messaging.ID) {
	for k := range n {
		ring = append(ring, messaging.ID(k*7%n))
	}
	return ring
}

// The counts of the slides of HAW Hamburg, "Ring-Algorithmus", for m live nodes: an election goes
// around, and so does its result, 2m messages. If k nodes hold it, k go around, and all agree.
func TestCounts(t *testing.T) {
	for _, m := range []int{1, 2, 3, 5, 8, 13, 20} {
		for holders := 1; holders <= m; holders++ {
			r := held(t, ring.New(order(m)), order(m), holders)
			if m == 1 {
				assert.Zero(t, r.Messages)
				continue
			}
			assert.Equal(t, holders*m, r.Kinds["ELECTION"], "%d of %d nodes hold it", holders, m)
			assert.Equal(t, m, r.Kinds["COORDINATOR"], "%d of %d nodes hold it", holders, m)
			if holders == 1 {
				assert.Equal(t, 2*m, r.Messages, "%d nodes", m)
			}
		}
	}
}

// The count of F. Mattern's "1. Idee": N rounds of N messages, whoever wakes up first.
func TestNaiveCounts(t *testing.T) {
	for _, n := range []int{2, 3, 5, 8, 13, 20} {
		for holders := 1; holders <= n; holders++ {
			assert.Equal(t, n*n, held(t, ring.NewNaive(order(n)), order(n), holders).Messages, "%d of %d nodes hold it", holders, n)
		}
	}
}

// check explores an election that these nodes hold, each at any time.
func check(t *testing.T, c explore.NodesConfig, holders ...int) *explore.NodesReport {
	t.Helper()
	c.Inputs = make([][]messaging.Message, c.Nodes)
	for _, i := range holders {
		c.Inputs[i] = hold
	}
	r, err := explore.CheckNodes(c)
	require.NoError(t, err, "%d nodes, %v hold it", c.Nodes, holders)
	t.Logf("%d nodes, %d of which may crash, %v hold it: %d states", c.Nodes, c.Crashes, holders, r.States)
	return r
}

// With a perfect detector there is one leader at a time, and in the end it is live and all know
// it: any node may crash, at any time.
func TestExplored(t *testing.T) {
	type size struct {
		nodes, crashes int
		holders        []int
	}
	sizes := []size{
		{1, 0, []int{0}},
		{2, 1, []int{0, 1}},
		{3, 1, []int{0}},
		{3, 1, []int{0, 1, 2}},
		{3, 2, []int{0, 2}},
		{4, 1, []int{0}},
	}
	larger := []size{{3, 2, []int{0, 1, 2}}, {4, 1, []int{1, 3}}, {4, 2, []int{0}}}
	for _, s := range append(sizes, tier.Pick(nil, larger)...) {
		for _, unordered := range []bool{false, true} {
			if unordered && s.nodes*max(s.crashes, len(s.holders)) > tier.Pick(5, 6) {
				continue // 4 nodes, two of which hold it and one of which may crash, have 18,813,842 states
			}
			r := check(t, explore.NodesConfig{
				New: ring.New(nil), Nodes: s.nodes, Crashes: s.crashes, Detected: true, Unordered: unordered, Results: election.OneAtATime,
			}, s.holders...)
			require.Empty(t, r.Failures(), "%+v", s)
			assert.Equal(t, explore.Holds, r.Results.Status)
			assert.Equal(t, explore.Holds, r.Quiescent.Status)
		}
	}
}

func TestMisuse(t *testing.T) {
	for _, a := range []func([]messaging.ID) messaging.Algorithm{ring.New, ring.NewNaive} {
		assert.PanicsWithValue(t, "ring: the ring [0 2] has no node 1: it must have each of 0 to 1 once", func() {
			a([]messaging.ID{0, 2})
		})
		assert.PanicsWithValue(t, "ring: a ring of 2 nodes for 3", func() {
			a([]messaging.ID{0, 1})(messaging.Start{Nodes: 3})
		})
	}
}
