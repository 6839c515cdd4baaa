package sanders_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/lecture"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/nodetest"
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
		"Maekawa, 7 nodes":         voting(quorum.Plane(7)),
		"Maekawa, 13 nodes":        voting(lecture.Reiser(), nil),
		"central, 1 node":          sanders.Central(1, 0),
		"central, 5 nodes":         sanders.Central(5, 2),
		"four nodes":               sanders.FourNodes(),
	}
}

// voting is the structure of Maekawa's algorithm with the sets of s.
func voting(s quorum.System, err error) sanders.Structure {
	if err != nil {
		panic(err)
	}
	sets := make([][]messaging.ID, s.Nodes())
	for i := range sets {
		sets[i] = s.Of(messaging.ID(i))
	}
	return sanders.Maekawa(sets)
}

// random returns a structure that just satisfies the condition: each node informs
// and asks itself and perhaps others; then each pair that violates the condition
// asks each other, or informs a common node.
func random(r *rand.Rand) sanders.Structure {
	n := 1 + r.IntN(6)
	request, inform := make([]messaging.Set, n), make([]messaging.Set, n)
	for i := range messaging.ID(n) {
		inform[i].Add(i)
		for r.IntN(3) == 0 {
			inform[i].Add(messaging.ID(r.IntN(n)))
		}
		request[i] = slices.Clone(inform[i])
	}
	for {
		s := structure(request, inform)
		err := s.Check()
		if err == nil {
			return s
		}
		var i, j messaging.ID
		if _, err := fmt.Sscanf(err.Error(), "sanders: nodes %d and %d could", &i, &j); err != nil {
			panic(err)
		}
		if r.IntN(2) == 0 {
			request[i].Add(j)
			request[j].Add(i)
			continue
		}
		k := messaging.ID(r.IntN(n))
		for _, x := range []messaging.ID{i, j} {
			inform[x].Add(k)
			request[x].Add(k)
		}
	}
}

func structure(request, inform []messaging.Set) sanders.Structure {
	var s sanders.Structure
	for i := range request {
		s.Request = append(s.Request, members(request[i]))
		s.Inform = append(s.Inform, members(inform[i]))
	}
	return s
}

func members(set messaging.Set) []messaging.ID {
	var ids []messaging.ID
	for i := range set.All() {
		ids = append(ids, i)
	}
	return ids
}

func config(s sanders.Structure, seed uint64) nodetest.Config {
	return nodetest.Config{Nodes: s.Nodes(), Seed: seed, Unordered: seed%2 == 0, Withdraw: float64(seed%3) / 4}
}

// schedules returns the number of schedules for a structure: the larger it is, the
// fewer.
func schedules(s sanders.Structure, most int) uint64 { return uint64(most / s.Nodes()) }

func TestInstances(t *testing.T) {
	for name, s := range instances() {
		t.Run(name, func(t *testing.T) {
			a := sanders.New(s)
			for seed := range schedules(s, 3000) {
				if err := nodetest.Run(a, config(s, seed)); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func TestRandomStructures(t *testing.T) {
	for seed := range tier.Pick[uint64](500, 3000) {
		s := random(rand.New(rand.NewPCG(seed, 1)))
		if err := nodetest.Run(sanders.New(s), config(s, seed)); err != nil {
			t.Fatalf("%+v: %v", s, err)
		}
	}
}

// run runs nodes of s in the simulator, and returns the report and the number of
// messages about each request.
func run(t *testing.T, s sanders.Structure, c sim.Config) (sim.Report, map[messaging.Stamp]int) {
	t.Helper()
	about := map[messaging.Stamp]int{}
	c.Algorithm, c.Nodes = sanders.New(s), s.Nodes()
	c.Observe = func(e messaging.Event) {
		if e.Action == "sent" {
			about[subject(e.Message)]++
		}
	}
	r, err := sim.Run(c)
	require.NoError(t, err)
	return r, about
}

// subject returns the request that m is about, which is the first field of each kind.
func subject(m messaging.Message) messaging.Stamp {
	return reflect.ValueOf(m).Field(0).Interface().(messaging.Stamp)
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

func TestMessagesBounds(t *testing.T) {
	for _, c := range []struct {
		s            sanders.Structure
		node         messaging.ID
		fewest, most int
	}{
		{sanders.RicartAgrawala(5), 3, 8, 8 + 5},
		{sanders.FourNodes(), 0, 2, 2 + 8},
		{sanders.FourNodes(), 1, 2, 2 + 8},
		{sanders.FourNodes(), 2, 6, 6 + 9},
		{sanders.FourNodes(), 3, 6, 6 + 9},
		{sanders.Central(5, 2), 0, 3, 3 + 1 + 4},
		{voting(lecture.Reiser(), nil), 0, 9, 9 + 16},
	} {
		fewest, most := c.s.Messages(c.node)
		assert.Equal(t, c.fewest, fewest, "the fewest messages of node %d of %v", c.node, c.s)
		assert.Equal(t, c.most, most, "the most messages of node %d of %v", c.node, c.s)
	}
}

// TestMessagesOnAverage: each entry takes at least the fewest messages, and in
// every run all entries together at most the most.
func TestMessagesOnAverage(t *testing.T) {
	for name, s := range instances() {
		for seed := range schedules(s, 1000) {
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
