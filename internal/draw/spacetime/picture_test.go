package spacetime_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/catalog"
	internal "example.org/doorway/internal/catalog"
	"example.org/doorway/internal/docs/page"
	"example.org/doorway/internal/draw/spacetime"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
)

// texts returns the scenarios of the repository, by the name of the file.
func texts(t *testing.T) map[string]string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(files, "*.txt"))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	all := map[string]string{}
	for _, path := range paths {
		all[strings.TrimSuffix(filepath.Base(path), ".txt")] = page.Read(t, path)
	}
	return all
}

// scenario returns the run of a scenario of the repository.
func scenario(t *testing.T, name string) *spacetime.Run {
	t.Helper()
	s, err := sim.ReadScenario(name+".txt", strings.NewReader(texts(t)[name]))
	require.NoError(t, err)
	r, err := spacetime.OfScenario(name, s, func(setting sim.Setting) (messaging.Algorithm, error) {
		if system, is := internal.FindSystem(setting.Algorithm); is {
			s.Kinds, s.Results = system.Kinds, system.Results
		}
		return catalog.Scenario(setting)
	})
	require.NoError(t, err)
	return r
}

// simulated returns the run of a config.
func simulated(title string, c sim.Config) *spacetime.Run {
	r := &spacetime.Run{Title: title, Nodes: c.Nodes}
	c.Algorithm, c.Observe = r.Watch(c.Algorithm), r.Observe
	if _, err := sim.Run(c); err != nil {
		r.Failure = err.Error()
	}
	r.Settle()
	return r
}

// Every algorithm of the catalog is drawn, with messages that all take the same time, and
// at random, with loss, duplication, crashes and users who give up.
func TestAlgorithms(t *testing.T) { drawsAll(t, internal.Names(internal.Protocols)) }

func drawsAll(t *testing.T, names []string) {
	t.Helper()
	for _, name := range names {
		for n := tier.Pick(4, 2); n <= tier.Pick(4, 7); n++ {
			t.Run(fmt.Sprintf("%s/n=%d", name, n), func(t *testing.T) {
				p, _ := internal.FindProtocol(name)
				a := p.Within(n, sim.T)
				drawn(t, simulated(name, sim.Config{Algorithm: a, Nodes: n, Load: sim.HighLoad{}, Entries: 2 * n, Perpetual: p.Perpetual})).check()
				dice := rand.New(rand.NewPCG(uint64(n), 0))
				for seed := range uint64(tier.Pick(1, 5)) {
					c := sim.Config{
						Algorithm: a, Nodes: n, Load: sim.HighLoad{}, Entries: 1 + dice.IntN(tier.Pick(15, 60)), Seed: seed, Unordered: dice.IntN(2) == 0,
						Latency: sim.Exponential(sim.T), Patience: 500 * sim.T, GiveUp: dice.Float64() / 2, Perpetual: p.Perpetual,
						Loss: dice.Float64() / 20, Duplication: dice.Float64() / 20, Detection: sim.Constant(sim.T),
					}
					if dice.IntN(2) == 0 {
						c.Crashes = []sim.Crash{{Node: messaging.ID(dice.IntN(n)), At: sim.T * 5}}
					}
					if dice.IntN(2) == 0 {
						c.Latency = sim.Uniform(0, 2*sim.T)
					}
					r := simulated(fmt.Sprintf("%s, seed %d", name, seed), c)
					drawn(t, r).check()
					r.From = r.Events[len(r.Events)-1].At / 2
					drawn(t, r).check()
				}
			})
		}
	}
}

// Many nodes are folded, and a long run is cut.
func TestLarge(t *testing.T) {
	type run struct {
		algorithm      string
		nodes, entries int
	}
	for _, test := range append([]run{
		{"maekawa", 40, 40},
		{"maekawa", 41, 1},
		{"maekawa", 1000, 1},
		{"central", 1000, 30},
		{"ricartagrawala", 60, 60},
	}, tier.Pick(nil, []run{
		{"maekawa", 41, 100},
		{"maekawa", 1000, 3},
		{"central", 1000, 200},
		{"ricartagrawala", 39, 2},
	})...) {
		t.Run(fmt.Sprintf("%s/n=%d/entries=%d", test.algorithm, test.nodes, test.entries), func(t *testing.T) {
			a, err := catalog.Protocol(test.algorithm, test.nodes)
			require.NoError(t, err)
			d := drawn(t, simulated(t.Name(), sim.Config{Algorithm: a, Nodes: test.nodes, Load: sim.HighLoad{}, Entries: test.entries}))
			d.check()
			if test.nodes == 60 {
				assert.True(t, strings.Contains(strings.Join(strings.Fields(d.all[0].Text), " "), " messages between folded nodes are not drawn."), "the picture does not say what it leaves out")
			}
		})
	}
}

func TestNothing(t *testing.T) {
	d := drawn(t, &spacetime.Run{Title: "nothing", Nodes: 3})
	assert.Contains(t, string(d.picture), ">S1–S3, idle</text>")
}

// An input of a node that is down is crossed out, and named.
func TestMissed(t *testing.T) {
	d := drawn(t, &spacetime.Run{Title: "missed", Nodes: 2, Events: []messaging.Event{
		{Number: 1, At: sim.T, Action: "crashed"},
		{Number: 2, At: 3 * sim.T, Action: "missed", Message: messaging.ID(1)},
	}})
	d.check()
	assert.Contains(t, string(d.picture), ">loses an input</text>")
	assert.Contains(t, string(d.picture), "S1, which is down, loses S2 from its user")
}

// Lines are not framed where nodes may be inside together, if the run is chosen event by event: no
// scenario of the repository has such nodes.
func TestTogether(t *testing.T) {
	s, err := sim.ReadScenario("together", strings.NewReader("nodes 3; algorithm intervals; run a0.d1.d3.a2.d4.d5.d2.d8.d6.d7"))
	require.NoError(t, err)
	r, err := spacetime.OfScenario("together", s, catalog.Scenario)
	require.NoError(t, err)
	d := drawn(t, r)
	assert.Len(t, d.with("data-phase"), 4, "two wait, then both are inside")
	assert.Empty(t, d.with("data-clash"))
}

func TestFolded(t *testing.T) {
	for _, test := range []struct {
		nodes int
		users []messaging.ID
		has   []string
	}{
		{5, []messaging.ID{1}, []string{"S1", "S2", "S3–S5, idle"}},
		{4, []messaging.ID{1}, []string{"S1", "S2", "S3", "S4"}},
		{1000, []messaging.ID{1, 500, 999}, []string{"S1", "S2", "S3–S500, idle", "S501", "S502–S999, idle", "S1000"}},
	} {
		a, err := catalog.Protocol("central", test.nodes)
		require.NoError(t, err)
		var load sim.Script
		for k, i := range test.users {
			load = append(load, sim.Request{Node: i, At: time.Duration(3*k) * sim.T})
		}
		d := drawn(t, simulated("folded", sim.Config{Algorithm: a, Nodes: test.nodes, Load: load}))
		var names []string
		for _, s := range d.all {
			if s.Name == "text" && s.At["text-anchor"] == "end" && s.Text != "T" {
				names = append(names, s.Text)
			}
		}
		assert.Equal(t, test.has, names)
	}
}

func TestMain(m *testing.M) { tier.Sequential(m) }
