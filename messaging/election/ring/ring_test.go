package ring_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/election"
	"example.org/doorway/messaging/election/ring"
	"example.org/doorway/messaging/sim"
)

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
