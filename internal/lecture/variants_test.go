//go:build doorway_explore

package lecture_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/tier"
	"example.org/doorway/internal/variant"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
	"example.org/doorway/messaging/token/singhal"
	"example.org/doorway/messaging/topology"
)

// overGraph returns c for an algorithm that takes any graph: a triangle with a fourth node at
// one of its corners, and users that leave the messages time to cross. It returns c itself for an
// algorithm that takes none, or only trees.
func overGraph(c sim.Config, p catalog.Protocol) sim.Config {
	if p.Over == nil {
		return c
	}
	g := topology.Graph{{1, 2}, {0, 2, 3}, {0, 1}, {1}}
	a, err := p.Over(g)
	if err != nil {
		return c
	}
	c.Algorithm, c.Nodes, c.Entries = a, len(g), 60
	c.Latency, c.Load = sim.Exponential(T), sim.HighLoad{Think: sim.Exponential(5 * T)}
	return c
}

// Reiser 2002, slide 5.26, says of Sanders' algorithm as printed that it is "not
// free of deadlocks", and Prabhakaran, slide 19, says so of Maekawa's as on slide
// 18. The printed corrections of the latter (Reiser 2002, slides 5.15 to 5.17,
// Prabhakaran, slide 21) deadlock too, more rarely. None of these violates mutual
// exclusion, unlike the other broken variants in the catalog. Singhal's algorithm as
// printed hardly ever deadlocks by chance: see TestReiser5_53SinghalPrintedDeadlocks.
func TestReiser5_26PrintedRulesDeadlock(t *testing.T) {
	runs := tier.Pick(200, 600)
	for _, p := range catalog.Printed {
		if p.Name == "singhal/printed" {
			continue
		}
		stuck, two := 0, 0
		for seed := range uint64(runs) {
			_, err := sim.Run(overGraph(chance(p, seed), p))
			switch {
			case sim.Failure(err) == "deadlock":
				stuck++
			case sim.Failure(err) == "exclusion", sim.Failure(err) == "panic":
				two++ // or what cannot come had come before it got so far
			case err != nil:
				t.Fatal(err)
			}
		}
		t.Logf("%s: of %d runs %d end in a deadlock, %d with two inside or about to be", p.Name, runs, stuck, two)
		if deadlocks := p.Broken.Refuted == variant.Progress; deadlocks && (stuck == 0 || two > 0) || !deadlocks && two == 0 {
			t.Errorf("%s should fail differently: %s", p.Name, p.Broken.Why)
		}
	}
}

// Reiser 2002, slide 5.53: a request that is not new is ignored. Then a site waits for
// ever if the token overtakes its request, unless a third one asks. A hint, one message
// more, mends that.
func TestReiser5_53SinghalPrintedDeadlocks(t *testing.T) {
	slow := sim.Exception{
		Kind: "REQUEST", From: []messaging.ID{2}, To: []messaging.ID{1}, Ordinal: 1, Latency: sim.Constant(10 * T),
	}
	c := sim.Config{
		Nodes: 3, Except: []sim.Exception{slow},
		Load: sim.Script{{Node: 2}, {Node: 0, At: 2 * T}, {Node: 1, At: 6 * T}, {Node: 2, At: 12 * T}},
	}
	printed, ok := catalog.FindProtocol("singhal/printed")
	require.True(t, ok)
	c.Algorithm = printed.New(3)
	r, err := sim.Run(c)
	assert.Equal(t, "deadlock", sim.Failure(err), "%v", err)
	assert.Equal(t, map[string]int{"REQUEST": 5, "TOKEN": 3}, r.Kinds)

	c.Algorithm = singhal.New
	assert.Equal(t, map[string]int{"REQUEST": 5 + 1 + 1, "TOKEN": 4}, run(t, c).Kinds, "one hint, and a request to S2")

	c.Algorithm = printed.New(3)
	c.Load = append(c.Load.(sim.Script), sim.Request{Node: 0, At: 20 * T})
	assert.Equal(t, 5, run(t, c).Entries, "S1 asks too")
}
