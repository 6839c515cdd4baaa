package naimitrehel_test

import (
	"fmt"
	"math"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/node/host"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
	"example.org/doorway/messaging/token/naimitrehel"
)

// An entry takes 0 messages at the root, 2 at its sons, and at most N: on a path, N-1
// REQUEST and a TOKEN. Then all nodes have the requester as their father, so the next
// takes 2.
func TestWorstAndBest(t *testing.T) {
	for _, n := range []int{2, 3, 8, 50} {
		a := naimitrehel.NewTree(path(n))
		for d := range n {
			i := messaging.ID(n - 1 - d) // d links from the root
			want := map[string]int{}
			if d > 0 {
				want = map[string]int{"REQUEST": d, "TOKEN": 1}
			}
			kinds(t, want, sim.Config{Algorithm: a, Nodes: n, Load: sim.Script{{Node: i}}})
		}
		far := sim.Script{{Node: 0}, {Node: messaging.ID(n / 2), At: 1000 * sim.T}}
		kinds(t, map[string]int{"REQUEST": n, "TOKEN": 2}, sim.Config{Algorithm: a, Nodes: n, Load: far})
		again := sim.Script{{Node: 0}, {Node: 0, At: 1000 * sim.T}}
		kinds(t, map[string]int{"REQUEST": n - 1, "TOKEN": 1}, sim.Config{Algorithm: a, Nodes: n, Load: again})
	}
}

// kinds runs c and compares the messages.
func kinds(t *testing.T, want map[string]int, c sim.Config) {
	t.Helper()
	r, err := sim.Run(c)
	require.NoError(t, err)
	assert.Equal(t, want, r.Kinds, "%d nodes: %v", c.Nodes, c.Load)
}

// The mean of the messages of an entry is H(N-1) if nodes drawn at random enter one
// after the other (Naimi, Trehel, Arnold 1996). It is computed from all trees and all
// requests: entries are the steps of a Markov chain, whose states are the trees.
func TestMeanIsHarmonic(t *testing.T) {
	for n := 1; n <= tier.Pick(5, 6); n++ {
		trees, mean := stationary(t, n)
		t.Logf("%d nodes: %d trees, %.12f messages an entry", n, trees, mean)
		assert.Equal(t, math.Pow(float64(n), float64(n-1)), float64(trees), "%d nodes: every rooted tree is reached", n)
		assert.InDelta(t, harmonic(n-1), mean, 1e-9, "%d nodes: messages an entry", n)
	}
}

func harmonic(n int) (sum float64) {
	for k := 1; k <= n; k++ {
		sum += 1 / float64(k)
	}
	return sum
}

// stationary returns how many trees of n nodes can be reached from that of New, and the
// mean of the messages of an entry in the stationary distribution over them.
func stationary(t *testing.T, n int) (trees int, mean float64) {
	t.Helper()
	first := make([]messaging.ID, n)
	first[0] = none
	all, number := [][]messaging.ID{first}, map[string]int{fmt.Sprint(first): 0}
	var after [][]int // by tree and requester, the next tree
	var cost []float64
	for k := 0; k < len(all); k++ {
		after, cost = append(after, make([]int, n)), append(cost, 0)
		for i := range n {
			next, messages := entry(t, all[k], messaging.ID(i))
			known, ok := number[fmt.Sprint(next)]
			if !ok {
				known = len(all)
				number[fmt.Sprint(next)] = known
				all = append(all, next)
			}
			after[k][i] = known
			cost[k] += float64(messages) / float64(n)
		}
	}
	share := make([]float64, len(all))
	share[0] = 1
	for change := 1.0; change > 1e-13; {
		next := make([]float64, len(all))
		for k, p := range share {
			for _, to := range after[k] {
				next[to] += p / float64(n)
			}
		}
		change, mean = 0, 0
		for k, p := range next {
			change += math.Abs(p - share[k])
			mean += p * cost[k]
		}
		share = next
	}
	return len(all), mean
}

// entry has node i enter and leave, and returns the tree after that, and the messages
// that it took.
func entry(t *testing.T, tree []messaging.ID, i messaging.ID) (after []messaging.ID, messages int) {
	t.Helper()
	sites := make([]*host.Site, len(tree))
	for k := range sites {
		sites[k] = host.NewSite(naimitrehel.NewTree(tree), messaging.Start{Self: messaging.ID(k), Nodes: len(tree)}, nil)
	}
	sites[i].Request()
	for at := i; len(sites[at].Sends) > 0; messages++ {
		s := sites[at].Sends[0]
		sites[at].Done()
		sites[s.To].Receive(at, s.Message)
		at = s.To
	}
	sites[i].Release()
	for _, s := range sites {
		after = append(after, messaging.ID(reflect.ValueOf(s.Node()).Elem().FieldByName("Father").Int()))
	}
	return after, messages
}
