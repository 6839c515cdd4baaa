package changroberts_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/election"
	"example.org/doorway/messaging/election/changroberts"
	"example.org/doorway/messaging/sim"
)

// elects returns how many Elects an election on a ring takes, which these nodes hold at the
// same time; none: all.
func elects(t *testing.T, ring []messaging.ID, holders ...messaging.ID) int {
	t.Helper()
	n := len(ring)
	if holders == nil {
		holders = ring
	}
	c := sim.Config{Algorithm: changroberts.New(ring), Nodes: n, Results: election.Results}
	for _, i := range holders {
		c.Inputs = append(c.Inputs, sim.Input{Node: i, Message: election.Hold{}})
	}
	r, err := sim.Run(c)
	require.NoError(t, err, "%v", ring)
	require.Equal(t, n, r.Kinds["LEADER"], "%v", ring)
	require.Len(t, r.Emits, n)
	require.Equal(t, messaging.ID(n-1), r.Emits[0].Message.(election.Elected).Leader)
	return r.Kinds["ELECT"]
}

func ascending(n int) (ring []messaging.ID) {
	for i := range messaging.ID(n) {
		ring = append(ring, i)
	}
	return ring
}

// The counts that E. Chang and R. Roberts derive: 2N-1 Elects at best, N(N+1)/2 at worst, and
// N if the largest is the only one to hold it.
func TestCounts(t *testing.T) {
	for n := 2; n < 20; n++ {
		up := ascending(n)
		down := make([]messaging.ID, n)
		for k := range up {
			down[k] = up[n-1-k]
		}
		assert.Equal(t, 2*n-1, elects(t, up), "%d nodes, ascending", n)
		assert.Equal(t, n*(n+1)/2, elects(t, down), "%d nodes, descending", n)
		assert.Equal(t, n, elects(t, up, messaging.ID(n-1)), "%d nodes, of which the largest holds it", n)
	}
}

// Over all orders on the ring, the average is N·H_N exactly. Turning a ring changes nothing, so node 0 is
// the first one here.
func TestAverageOverAllOrders(t *testing.T) {
	for n := 2; n <= tier.Pick(7, 8); n++ {
		sum, rings := 0, 0
		permute(ascending(n)[1:], func(others []messaging.ID) {
			sum += elects(t, append([]messaging.ID{0}, others...))
			rings++
		})
		harmonic := 0 // (n-1)!·n·H_n, a whole number
		for k := 1; k <= n; k++ {
			harmonic += rings * n / k
		}
		assert.Equal(t, harmonic, sum, "%d nodes", n)
	}
}

// permute calls f with every order of ids.
func permute(ids []messaging.ID, f func(ids []messaging.ID)) {
	var place func(k int)
	place = func(k int) {
		if k == len(ids) {
			f(ids)
			return
		}
		for j := k; j < len(ids); j++ {
			ids[k], ids[j] = ids[j], ids[k]
			place(k + 1)
			ids[k], ids[j] = ids[j], ids[k]
		}
	}
	place(0)
}

// Over FIFO links, a node that holds an election learns of the leader afterwards, however many there
// have been. Over others, it may not.
func TestRepeated(t *testing.T) {
	for _, unordered := range []bool{false, true} {
		unanswered := 0
		for seed := range uint64(300) {
			r := rand.New(rand.NewPCG(seed, 0))
			n := 2 + r.IntN(5)
			c := sim.Config{Algorithm: changroberts.New(nil), Nodes: n, Seed: seed, Results: election.Results, Latency: sim.Uniform(0, 4*sim.T), Unordered: unordered}
			held := make([]time.Duration, n) // for the last time
			for range 1 + r.IntN(8) {
				i, at := r.IntN(n), time.Duration(r.IntN(60))*sim.T/2
				held[i] = max(held[i], at)
				c.Inputs = append(c.Inputs, sim.Input{Node: messaging.ID(i), At: at, Message: election.Hold{}})
			}
			report, err := sim.Run(c)
			require.NoError(t, err, "seed %d", seed)
			learned := make([]time.Duration, n)
			for _, e := range report.Emits {
				learned[e.From] = e.At
			}
			for i := range n {
				if learned[i] < held[i] {
					unanswered++
				}
			}
		}
		assert.Equal(t, unordered, unanswered > 0, "%d elections are not answered", unanswered)
	}
}

func TestMisuse(t *testing.T) {
	assert.PanicsWithValue(t, "changroberts: the ring [0 2] has no node 1: it must have each of 0 to 1 once", func() {
		changroberts.New([]messaging.ID{0, 2})
	})
	assert.PanicsWithValue(t, "changroberts: a ring of 2 nodes for 3", func() {
		changroberts.New([]messaging.ID{0, 1})(messaging.Start{Nodes: 3})
	})
}
