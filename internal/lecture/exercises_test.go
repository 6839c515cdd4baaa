package lecture_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/election"
	"example.org/doorway/messaging/election/changroberts"
	"example.org/doorway/messaging/sim"
)

// hops returns, by position on the ring, how many hops the candidate goes that begins there, when
// all nodes hold Chang and Roberts's election at the same time.
func hops(t *testing.T, ring []messaging.ID) []int {
	t.Helper()
	n := len(ring)
	of := make([]int, n) // by candidate
	c := sim.Config{Algorithm: changroberts.New(ring), Nodes: n}
	for _, i := range ring {
		c.Inputs = append(c.Inputs, sim.Input{Node: i, Message: election.Hold{}})
	}
	c.Observe = func(e messaging.Event) {
		if m, ok := e.Message.(changroberts.Elect); ok && e.Action == "sent" {
			of[m.Candidate]++
		}
	}
	run(t, c)
	at := make([]int, n)
	for k, i := range ring {
		at[k] = of[i]
	}
	return at
}

// randomRing returns n nodes in a random order.
func randomRing(n int, seed uint64) []messaging.ID {
	ring := all(n)
	rand.New(rand.NewPCG(seed, 0)).Shuffle(n, func(a, b int) { ring[a], ring[b] = ring[b], ring[a] })
	return ring
}

// harmonic returns H(n) = 1 + 1/2 + ... + 1/n.
func harmonic(n int) float64 {
	sum := 0.0
	for k := 1; k <= n; k++ {
		sum += 1 / float64(k)
	}
	return sum
}

// orders calls f with each order of ids.
func orders(ids []messaging.ID, f func(ids []messaging.ID)) { place(ids, 0, f) }

func place(ids []messaging.ID, k int, f func(ids []messaging.ID)) {
	if k == len(ids) {
		f(ids)
		return
	}
	for j := k; j < len(ids); j++ {
		ids[k], ids[j] = ids[j], ids[k]
		place(ids, k+1, f)
		ids[k], ids[j] = ids[j], ids[k]
	}
}

// Mattern, "Übungen (4)" and "Leader-Election auf einem Ring": a candidate goes k hops or more if it
// is the largest of the k nodes from itself on, so with probability 1/k: exactly, over all
// orders of the ring. That makes H(N) hops on average, and N·H(N) for all. "Übungen (4)", 2d: on a
// walk one meets H(n-1) of n-1 others on average until one is taller, or none is.
func TestMatternHopsOverAllOrders(t *testing.T) {
	for n := 2; n <= tier.Pick(6, 8); n++ {
		atLeast, rings, sum, met := make([]int, n+1), 0, 0, 0
		orders(all(n), func(ring []messaging.ID) {
			rings++
			for _, h := range hops(t, ring) {
				require.LessOrEqual(t, h, n)
				sum += h
				met += min(h, n-1)
				for k := 1; k <= h; k++ {
					atLeast[k]++
				}
			}
		})
		for k := 1; k <= n; k++ {
			assert.Equal(t, rings*n, k*atLeast[k], "%d nodes: candidates that go %d hops or more", n, k)
		}
		assert.InDelta(t, harmonic(n), float64(sum)/float64(rings*n), 1e-9, "%d nodes", n)
		assert.InDelta(t, harmonic(n-1), float64(met)/float64(rings*n), 1e-9, "%d people", n)
	}
}

// catches returns how many fish of n each angler catches who stops with the first that is larger
// than his first one, or with the last fish: on a ring, node k and its successors are those of
// angler k, and the candidate of his first fish is stopped by the larger one.
func catches(t *testing.T, n int, seed uint64) []int {
	t.Helper()
	caught := hops(t, randomRing(n, seed))
	for k := range caught {
		caught[k] = min(caught[k]+1, n)
	}
	return caught
}

// share returns the share of numbers for which is is true.
func share(numbers []int, is func(int) bool) float64 {
	count := 0
	for _, m := range numbers {
		if is(m) {
			count++
		}
	}
	return float64(count) / float64(len(numbers))
}

// Mattern, "Übungen (4)", 1: of n = 1000 fish, Alois catches 1 + H(n-1) = 8.5 on average, which
// grows with the logarithm of n; m of them with probability 1/(m(m-1)), and all with probability
// 1/(n-1). With "smaller" for "larger" it is the same, of the fish in the opposite order.
func TestMatternFisherman(t *testing.T) {
	const n = 1000
	var caught []int
	for seed := range seeds(1000) {
		caught = append(caught, catches(t, n, seed)...)
	}
	sum := 0
	for _, m := range caught {
		sum += m
	}
	assert.InEpsilon(t, 1+harmonic(n-1), float64(sum)/float64(len(caught)), 0.02)
	assert.Zero(t, share(caught, func(m int) bool { return m == 1 }), "one fish is not enough")
	for m := 2; m <= 10; m++ {
		assert.InEpsilon(t, 1/float64(m*(m-1)), share(caught, func(k int) bool { return k == m }), 0.1, "%d fish", m)
	}
	assert.InEpsilon(t, 1/float64(n-1), share(caught, func(k int) bool { return k == n }), 0.1, "all fish")
}

// Mattern, "Übungen (4)", 2: the first year whose January is colder than that of the first year. It is the
// third with probability 1/6, and the 100th with 1/9900, in a century as in a millennium; there
// it is a later one with probability 1/100 - 1/1000. None is with probability 1/years. In a
// century one waits for 1 + H(99) = 6.2 years on average, or until its end; in a millennium 8.5.
func TestMatternFirstRecord(t *testing.T) {
	for _, years := range []int{100, 1000} {
		var first []int // years+1: there is no record
		for seed := range seeds(500_000 / years) {
			for _, h := range hops(t, randomRing(years, seed)) {
				first = append(first, h+1)
			}
		}
		sum := 0
		for _, y := range first {
			sum += min(y, years)
		}
		assert.InEpsilon(t, 1+harmonic(years-1), float64(sum)/float64(len(first)), 0.02, "%d years", years)
		assert.InEpsilon(t, 1/6.0, share(first, func(y int) bool { return y == 3 }), 0.05, "%d years", years)
		assert.InEpsilon(t, 1/9900.0, share(first, func(y int) bool { return y == 100 }), tier.Pick(0.7, 0.2), "%d years", years)
		assert.InEpsilon(t, 1/100.0, share(first, func(y int) bool { return 50 < y && y <= 100 }), 0.1, "%d years", years)
		assert.InEpsilon(t, 1/float64(years), share(first, func(y int) bool { return y > years }), 0.01, "%d years", years)
		if years > 100 {
			assert.InEpsilon(t, 1/100.0-1/1000.0, share(first, func(y int) bool { return 100 < y && y <= years }), 0.2)
		}
	}
}
