package sanders_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/internal/node/votingtest"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/quorum"
	"example.org/doorway/messaging/permission/sanders"
	"example.org/doorway/messaging/sim"
)

// instances are the structures that have a name.
func instances() map[string]sanders.Structure {
	return map[string]sanders.Structure{
		"Ricart-Agrawala, 1 node":  sanders.RicartAgrawala(1),
		"Ricart-Agrawala, 2 nodes": sanders.RicartAgrawala(2),
		"Ricart-Agrawala, 5 nodes": sanders.RicartAgrawala(5),
		"Maekawa, 7 nodes":         maekawas(quorum.Plane(7)),
		"Maekawa, 13 nodes":        maekawas(quorum.Plane(13)),
		"central, 1 node":          sanders.Central(1, 0),
		"central, 5 nodes":         sanders.Central(5, 2),
		"four nodes":               sanders.FourNodes(),
	}
}

// maekawas is the structure of Maekawa's algorithm with the sets of s.
func maekawas(s quorum.System, err error) sanders.Structure {
	if err != nil {
		panic(err)
	}
	sets := make([][]messaging.ID, s.Nodes())
	for i := range sets {
		sets[i] = s.Of(messaging.ID(i))
	}
	return sanders.Maekawa(sets)
}

// run runs nodes of s in the simulator.
func run(t *testing.T, s sanders.Structure, c sim.Config) (sim.Report, map[messaging.Stamp]int) {
	t.Helper()
	return votingtest.Run(t, sanders.New(s), s.Nodes(), c)
}

func TestMessagesUncontended(t *testing.T) {
	const entries = 3
	for name, s := range instances() {
		for i := range messaging.ID(s.Nodes()) {
			fewest, _ := s.Messages(i)
			r, about := run(t, s, sim.Config{Load: sim.LowLoad{Users: []messaging.ID{i}}, Entries: entries})
			assert.Equal(t, entries*fewest, r.Messages, "%s: messages of %d uncontended entries of node %d, %d each", name, entries, i, fewest)
			for request, took := range about {
				assert.Equal(t, fewest, took, "%s: messages of uncontended request %+v", name, request)
			}
		}
	}
}

// TestMessagesOnAverage: each entry takes at least the fewest messages, and in
// every run all entries together at most the most.
func TestMessagesOnAverage(t *testing.T) {
	for name, s := range instances() {
		for seed := range uint64(1000 / s.Nodes()) {
			all, bound := 0, 0
			for r, took := range messages(t, s, seed) {
				fewest, most := s.Messages(r.ID)
				if took < fewest {
					t.Errorf("%s, seed %d: %+v took %d messages, want %d at least", name, seed, r, took, fewest)
				}
				all += took
				bound += most
			}
			assert.LessOrEqual(t, all, bound, "%s, seed %d: messages of all entries", name, seed)
		}
	}
}

// TestMessagesBeyondMost: the most does not bound a single entry, since a node can
// inquire for its lock more than once during a wait.
func TestMessagesBeyondMost(t *testing.T) {
	s, beyond := sanders.FourNodes(), 0
	_, about := run(t, s, sim.Config{
		Load: sim.HighLoad{Think: sim.Uniform(0, 9*sim.T)}, Entries: 10_000, Latency: sim.Exponential(sim.T),
	})
	for r, took := range about {
		if _, most := s.Messages(r.ID); took > most {
			beyond++
		}
	}
	assert.NotZero(t, beyond, "no entry takes more than the most: the comment of Messages is wrong")
	t.Logf("%d of 10,000 entries take more than the most", beyond)
}

// messages returns the number of messages of each request under load, with widely
// varying delays.
func messages(t *testing.T, s sanders.Structure, seed uint64) map[messaging.Stamp]int {
	t.Helper()
	_, about := run(t, s, sim.Config{
		Load: sim.HighLoad{Think: sim.Uniform(0, time.Duration(seed%3)*9*sim.T)}, Entries: 4 * s.Nodes(),
		Latency: sim.Exponential(sim.T), Unordered: seed%2 == 0, Seed: seed,
	})
	return about
}

func TestCheck(t *testing.T) {
	type ids = [][]messaging.ID
	for _, c := range []struct {
		s    sanders.Structure
		want string
	}{
		{sanders.Structure{}, "0 request sets and 0 inform sets"},
		{sanders.Structure{Request: ids{{0}}}, "1 request sets and 0 inform sets"},
		{sanders.Structure{Request: ids{{0, 1}}, Inform: ids{{0}}}, "the request set of node 0 has the member 1: the nodes are 0 to 0"},
		{sanders.Structure{Request: ids{{0}}, Inform: ids{{-1}}}, "the inform set of node 0 has the member -1"},
		{sanders.Structure{Request: ids{{0, 0}}, Inform: ids{{0}}}, "the request set of node 0 has the member 0 twice"},
		{sanders.Structure{Request: ids{{0}}, Inform: ids{{}}}, "node 0 is not in its own inform set"},
		{sanders.Structure{Request: ids{{0}, {1}}, Inform: ids{{0, 1}, {1}}}, "node 0 informs node 1, which it does not ask"},
		{sanders.Structure{Request: ids{{0, 1}, {1}}, Inform: ids{{0}, {1}}}, "nodes 0 and 1 could both be inside"},
		{sanders.Central(3, 3), "the request set of node 0 has the member 3"},
		{sanders.Structure{Request: ids{{0, 1}, {0, 1}, {0, 1}, {0, 1}}, Inform: ids{{0}, {1}, {0, 1}, {0, 1}}}, "node 2 is not in its own inform set"},
	} {
		assert.ErrorContains(t, c.s.Check(), c.want, "%+v", c.s)
	}
	for name, s := range instances() {
		assert.NoError(t, s.Check(), name)
	}
}
