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
