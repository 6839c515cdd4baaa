package lecture_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/quorum"
	"example.org/doorway/messaging/permission/ricartagrawala"
	"example.org/doorway/messaging/permission/sanders"
	"example.org/doorway/messaging/sim"
)

func sets(t *testing.T, of func(int) (quorum.System, error), n int) [][]messaging.ID {
	t.Helper()
	s := system(t, of, n)
	sets := make([][]messaging.ID, n)
	for i := range sets {
		sets[i] = s.Of(messaging.ID(i))
	}
	return sets
}

// Reiser 2002, slide 5.28: with the sets of Ricart and Agrawala it is 2(N-1) to
// 2(N-1)+N. With five nodes an uncontended request takes 8, two that cross take 17
// together, and five 56, where Ricart's and Agrawala's own algorithm, which does
// without FAILED, takes 8, 16 and 40. So the N of the slide, which counts a FAILED
// to oneself, is never reached: N-1 is.
func TestReiser5_28SandersAsRicartAgrawala(t *testing.T) {
	const n = 5
	for _, c := range []struct{ users, sanders, own int }{{1, 8, 8}, {2, 17, 16}, {5, 56, 40}} {
		load := together(all(c.users)...)
		got := run(t, sim.Config{Algorithm: sanders.New(sanders.RicartAgrawala(n)), Nodes: n, Load: load}).Messages
		own := run(t, sim.Config{Algorithm: ricartagrawala.New, Nodes: n, Load: load}).Messages
		if got != c.sanders || own != c.own {
			t.Errorf("%d of %d nodes cross: %d messages, want %d; Ricart and Agrawala %d, want %d", c.users, n, got, c.sanders, own, c.own)
		}
	}
	most := 0
	for seed := range tier.Pick[uint64](20, 200) {
		sent := about{}
		run(t, sim.Config{
			Algorithm: sanders.New(sanders.RicartAgrawala(n)), Nodes: n, Load: sim.HighLoad{}, Entries: 20 * n, Seed: seed,
			Latency: sim.Exponential(T), Unordered: true, Observe: sent.observe,
		})
		for _, messages := range sent {
			most = max(most, messages)
		}
	}
	assert.Equal(t, 2*(n-1)+n-1, most, "the most messages that a single request took")
}

// Reiser 2002, slide 5.28: with quorums for both sets Sanders' algorithm is
// Maekawa's. It takes the same number of messages of each kind, at each load.
func TestReiser5_28SandersAsMaekawa(t *testing.T) {
	for _, n := range planes {
		for seed := range uint64(5) {
			for _, load := range []sim.Load{sim.LowLoad{}, sim.HighLoad{}, sim.HighLoad{Think: sim.Uniform(0, 9*T)}} {
				c := sim.Config{Nodes: n, Load: load, Entries: 3 * n, Latency: latencies[seed%3], Seed: seed, Unordered: true}
				c.Algorithm = protocol(t, "maekawa").New(n)
				maekawa := run(t, c).String()
				c.Algorithm = sanders.New(sanders.Maekawa(sets(t, quorum.New, n)))
				assert.Equal(t, maekawa, run(t, c).String(), "%d nodes, seed %d: Maekawa's algorithm, and Sanders'", n, seed)
			}
		}
	}
}

// Reiser 2002, slide 5.30: 2 to 2+8 messages for nodes 1 and 2, 6 to 6+9 for 3 and 4.
// (R_3 and R_4 are printed as {1, 2} on slide 5.29, without the node itself. But then i
// would be in I_i and not in R_i, and the 9 would be 8: the ninth is the FAILED
// from the node itself.)
func TestReiser5_30SandersFourNodesMessages(t *testing.T) {
	s := sanders.FourNodes()
	for i, want := range [][2]int{{2, 2 + 8}, {2, 2 + 8}, {6, 6 + 9}, {6, 6 + 9}} {
		fewest, most := s.Messages(messaging.ID(i))
		assert.Equal(t, want, [2]int{fewest, most}, "the fewest and the most messages of node %d", i)
	}
}

// Reiser 2002, slide 5.30: the table of delays, in T. Rows are leaving nodes,
// columns entering ones.
func TestReiser5_30SandersFourNodesDelays(t *testing.T) {
	table := [4][4]int{
		{0, 1, 1, 1},
		{1, 0, 1, 1},
		{2, 2, 0, 2},
		{2, 2, 2, 0},
	}
	a := sanders.New(sanders.FourNodes())
	delays(t, sim.Config{Algorithm: a, Nodes: 4}, func(leaver, enterer messaging.ID) int { return table[leaver][enterer] })

	// The 0 of the diagonal is not a delay of the algorithm: a node has one request
	// at a time, and a new request after an exit takes 2T, like any other. It would
	// be 0 if a node admitted its next user without messages.
	for _, i := range all(4) {
		r := run(t, sim.Config{Algorithm: a, Nodes: 4, Load: sim.HighLoad{Users: []messaging.ID{i}}, Entries: 2, Order: true})
		got := r.Order[1].Entered - r.Order[0].Left
		assert.Equal(t, 2*T, got, "node %d enters %s after it has left, want 2 T", i, inT(got))
	}
}

// The structures of slides 5.28 and 5.29 have the delays of the corresponding algorithms: T,
// that of a coordinator, and that of quorums.
func TestReiser5_28SandersDelays(t *testing.T) {
	for _, s := range []sanders.Structure{
		sanders.RicartAgrawala(2), sanders.RicartAgrawala(13), sanders.Central(5, 0), sanders.Central(13, 12), sanders.FourNodes(),
		sanders.Maekawa(sets(t, quorum.Plane, 7)), sanders.Maekawa(sets(t, quorum.Plane, 13)), sanders.Maekawa(sets(t, quorum.Grid, 9)),
	} {
		delays(t, sim.Config{Algorithm: sanders.New(s), Nodes: s.Nodes()}, func(leaver, enterer messaging.ID) int {
			isThird := func(k messaging.ID) bool {
				return k != leaver && k != enterer && slices.Contains(s.Request[enterer], k)
			}
			if slices.ContainsFunc(s.Inform[leaver], isThird) {
				return 2 // RELEASE to the third, and LOCKED from there
			}
			return 1
		})
	}
}
