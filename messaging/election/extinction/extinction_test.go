package extinction_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/election"
	"example.org/doorway/messaging/election/extinction"
	"example.org/doorway/messaging/sim"
	"example.org/doorway/messaging/topology"
)

// links is the number of links of a network.
func links(g topology.Graph) int { return len(slices.Concat(g...)) / 2 }

// elect runs an election that these nodes hold at the same time; none: all.
func elect(t *testing.T, c sim.Config, p messaging.Protocol, holders ...messaging.ID) sim.Report {
	t.Helper()
	if holders == nil {
		for i := range messaging.ID(c.Nodes) {
			holders = append(holders, i)
		}
	}
	for _, i := range holders {
		c.Inputs = append(c.Inputs, sim.Input{Node: i, Message: election.Hold{}})
	}
	c.Results = p.Results
	r, err := sim.Run(c)
	require.NoError(t, err)
	return r
}

// A single wave takes 2E-N+1 messages; with echoes N-1 more, and as many Leaders.
func TestSingleWave(t *testing.T) {
	for seed := range uint64(20) {
		n := 2 + int(seed%7)
		g := topology.Random(n, min(n-1+int(seed), n*(n-1)/2), seed)
		e := links(g)
		for i := range messaging.ID(n) {
			r := elect(t, sim.Config{Algorithm: extinction.NewPlain(g, false), Nodes: n}, extinction.Plain, i)
			assert.Equal(t, 2*e-n+1, r.Messages, "%v", g)
			r = elect(t, sim.Config{Algorithm: extinction.New(g, false), Nodes: n}, extinction.Protocol, i)
			assert.Equal(t, 2*e-n+1, r.Kinds["EXPLORE"], "%v", g)
			assert.Equal(t, n-1, r.Kinds["ECHO"], "%v", g)
			assert.Equal(t, n-1, r.Kinds["LEADER"], "%v", g)
			require.Len(t, r.Emits, n)
			assert.Equal(t, election.Elected{Leader: i}, r.Emits[0].Message)
		}
	}
}

// The counts of networks in which all hold the election at the same time, and messages take
// equally long.
func TestAllAtOnce(t *testing.T) {
	ring := topology.Line(6)
	ring[0], ring[5] = append(ring[0], 5), append([]messaging.ID{0}, ring[5]...)
	for _, test := range []struct {
		g        topology.Graph
		messages int
	}{{ring, 23}, {topology.Complete(5), 50}, {topology.Line(5), 14}} {
		n := len(test.g)
		r := elect(t, sim.Config{Algorithm: extinction.NewPlain(test.g, false), Nodes: n}, extinction.Plain)
		assert.Equal(t, test.messages, r.Messages, "%v", test.g)
		r = elect(t, sim.Config{Algorithm: extinction.New(test.g, false), Nodes: n}, extinction.Protocol)
		assert.Equal(t, test.messages, r.Kinds["EXPLORE"], "%v", test.g)
		assert.Equal(t, n-1, r.Kinds["LEADER"], "%v", test.g)
	}
}

// With k candidates there are at most k times as many messages as with one: each node sends the
// wave of each on at most once.
func TestBound(t *testing.T) {
	for seed := range tier.Pick[uint64](300, 5000) {
		n := 3 + int(seed%6)
		g := topology.Random(n, min(n-1+int(seed%9), n*(n-1)/2), seed)
		wave := 2*links(g) - n + 1
		var holders []messaging.ID
		for i := range messaging.ID(n) {
			if seed>>i&1 == 0 || i == 0 {
				holders = append(holders, i)
			}
		}
		c := sim.Config{Nodes: n, Seed: seed, Latency: sim.Exponential(sim.T), Unordered: seed%2 == 0}
		c.Algorithm = extinction.NewPlain(g, false)
		r := elect(t, c, extinction.Plain, holders...)
		assert.LessOrEqual(t, r.Messages, len(holders)*wave, "%v, held by %v", g, holders)
		c.Algorithm = extinction.New(g, false)
		r = elect(t, c, extinction.Protocol, holders...)
		assert.LessOrEqual(t, r.Kinds["EXPLORE"], len(holders)*wave, "%v, held by %v", g, holders)
		assert.LessOrEqual(t, r.Kinds["ECHO"], len(holders)*(n-1), "%v, held by %v", g, holders)
		assert.Equal(t, n-1, r.Kinds["LEADER"], "%v, held by %v", g, holders)
	}
}

func TestApproximation(t *testing.T) {
	knows := func(ids ...messaging.ID) (emitted []any) {
		for _, id := range ids {
			emitted = append(emitted, extinction.Largest{ID: id})
		}
		return emitted
	}
	for _, test := range []struct {
		wrong   string
		emitted [][]any
		begun   bool // it is not over
	}{
		{"", [][]any{knows(0, 2), knows(1, 2), knows(2)}, false},
		{"", [][]any{knows(0), knows(1), {"other"}}, true},
		{"node 0 has known node 2, and then 1", [][]any{knows(2, 1), knows(1), knows(2)}, true},
		{"node 1 knows node 2, which is no candidate", [][]any{knows(0), knows(2), nil}, true},
		{"node 2 knows no candidate", [][]any{knows(0), knows(0), nil}, false},
		{"node 0 knows node 0, and node 1 knows node 1", [][]any{knows(0), knows(1), knows(1)}, false},
	} {
		err := extinction.Plain.Results(messaging.Outcome{Emitted: test.emitted, Over: !test.begun})
		if test.wrong == "" {
			assert.NoError(t, err, "%+v", test)
		} else {
			assert.EqualError(t, err, test.wrong, "%+v", test)
		}
	}
}

func TestMisuse(t *testing.T) {
	for want, call := range map[string]func(){
		"extinction: topology: no path leads from node 0 to node 1":                                                  func() { extinction.New(topology.Graph{{}, {}}, false) },
		"extinction: topology: node 0 has a link to node 1, which has none to node 0: links lead in both directions": func() { extinction.NewPlain(topology.Ring(3), false) },
		"messaging: node 0 is one of 4, but the topology is for 3 nodes":                                             func() { extinction.New(topology.Line(3), false)(messaging.Start{Nodes: 4}) },
	} {
		assert.PanicsWithValue(t, want, call)
	}
}
