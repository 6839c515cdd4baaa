package snapshot_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/link"
	"example.org/doorway/messaging/sim"
	"example.org/doorway/messaging/snapshot"
	"example.org/doorway/messaging/token/suzukikasami"
	"example.org/doorway/messaging/topology"
)

// A topology around snapshots has the channels, if its links lead in both directions. If not, a
// Marker on a link in one direction is refused.
func TestTopologyAround(t *testing.T) {
	config := sim.Config{
		Algorithm: messaging.On(topology.Line(4), snapshot.Over(keep, nil)), Nodes: 4,
		Results: snapshot.Results(keep, oneToken), Inputs: []sim.Input{{Message: take}},
	}
	r, err := sim.Run(config)
	require.NoError(t, err)
	assert.EqualValues(t, 6, r.Messages)
	config.Algorithm = messaging.On(topology.Ring(4), snapshot.Over(keep, nil))
	_, err = sim.Run(config)
	require.ErrorContains(t, err, "there is no channel from the sender: the links of a topology around snapshots lead in both directions")
}

// parts returns those of the snapshots of a run.
func parts(t *testing.T, c sim.Config) (all []snapshot.Part) {
	t.Helper()
	r, err := sim.Run(c)
	require.NoError(t, err, "seed %d", c.Seed)
	for _, e := range r.Emits {
		if part, ok := e.Message.(snapshot.Part); ok {
			all = append(all, part)
		}
	}
	return all
}

// Over links that lose, duplicate and reorder messages, a link below snapshots keeps their order.
func TestOverLink(t *testing.T) {
	over := link.Of(snapshot.Of(suzukikasami.Protocol, nil), link.Config{Timeout: 3 * sim.T})
	a, err := over.New(4)
	require.NoError(t, err)
	for seed := range uint64(tier.Pick(10, 500)) {
		assert.Len(t, parts(t, sim.Config{
			Algorithm: a, Nodes: 4, Seed: seed, Load: sim.HighLoad{}, Entries: 20,
			Loss: 0.2, Duplication: 0.1, Unordered: true, Latency: sim.Exponential(sim.T),
			Invariant: over.Invariant, Results: over.Results,
			Inputs: []sim.Input{{At: 5 * sim.T, Node: 1, Message: take}, {At: 5 * sim.T, Node: 2, Message: take}, {At: 9 * sim.T, Node: 1, Message: take}},
		}), 12, "seed %d", seed)
	}
}

// A node that restarts has forgotten what it recorded, and takes part in later snapshots: that of before is never complete. If a
// node is down for the first of two, its Marker of the second can reach another before that of the first does, which has no
// effect then.
func TestRestart(t *testing.T) {
	first, second, other := snapshot.ID{Number: 1}, snapshot.ID{Number: 2}, snapshot.ID{Initiator: 1, Number: 1}
	for _, c := range []struct {
		sim.Config
		parts map[snapshot.ID]int
	}{
		{sim.Config{
			Crashes: []sim.Crash{{Node: 1, At: sim.T + sim.T/2, Restart: sim.T + 3*sim.T/4}},
			Inputs:  []sim.Input{{Message: take}, {At: 5 * sim.T, Node: 1, Message: take}, {At: 9 * sim.T, Message: take}},
		}, map[snapshot.ID]int{first: 2, other: 3, second: 3}},
		{sim.Config{
			Crashes: []sim.Crash{{Node: 1, At: sim.T / 2, Restart: 2 * sim.T}},
			Except:  []sim.Exception{{From: []messaging.ID{0}, To: []messaging.ID{2}, Latency: sim.Constant(9 * sim.T)}},
			Inputs:  []sim.Input{{Message: take}, {At: 3 * sim.T, Message: take}},
		}, map[snapshot.ID]int{second: 3}},
	} {
		c.Algorithm, c.Nodes = snapshot.Over(keep, nil), 3
		found := map[snapshot.ID]int{}
		for _, p := range parts(t, c.Config) {
			found[p.Of]++
		}
		assert.Equal(t, c.parts, found)
	}
}

func TestMisuse(t *testing.T) {
	assert.PanicsWithValue(t, "snapshot: snapshots of an algorithm that is nil", func() { snapshot.Over(nil, nil) })
	assert.PanicsWithValue(t, "snapshot: a marker must reach each node: topology: no path leads from node 1 to node 0",
		func() { snapshot.Over(keep, topology.Graph{{1}, {}}) })
	assert.PanicsWithValue(t, "snapshot: snapshots of nodes that have them already",
		func() { snapshot.Over(snapshot.Over(keep, nil), nil)(messaging.Start{Nodes: 2}) })
	between := link.Over(snapshot.Over(keep, nil), link.Config{Timeout: 1})
	assert.PanicsWithValue(t, "snapshot: snapshots of nodes that have them already",
		func() { snapshot.Over(between, nil)(messaging.Start{Nodes: 2}) })
	twice := link.Over(snapshot.Over(link.Over(keep, link.Config{Timeout: 1}), nil), link.Config{Timeout: 1})
	assert.PanicsWithValue(t, "link: a link over a link", func() { twice(messaging.Start{Nodes: 2}) })
	_, err := snapshot.Of(messaging.Protocol{Name: "mine"}, nil).New(2)
	assert.EqualError(t, err, `snapshot: the protocol "mine" makes no algorithm: its New is nil`)
}

// What is not one snapshot is not put together.
func TestAssemble(t *testing.T) {
	parts := parts(t, sim.Config{
		Algorithm: snapshot.Over(keep, nil), Nodes: 2, Holder: 1, Inputs: []sim.Input{{Message: take}, {At: 3 * sim.T, Message: take}},
	})
	require.Len(t, parts, 4)
	cut, err := snapshot.Assemble(keep, parts[:2])
	require.NoError(t, err)
	assert.Equal(t, "node 0: HasToken: false\nnode 1: HasToken: true\n", cut.String())
	changed := func(change func(p *snapshot.Part)) []snapshot.Part {
		these := slices.Clone(parts[:2])
		change(&these[0])
		return these
	}
	for _, c := range []struct {
		parts []snapshot.Part
		says  string
	}{
		{nil, "snapshot: there are no parts"},
		{parts[:1], "snapshot: 1 parts of snapshot 1 of node 0: there must be one of each of 2 nodes"},
		{parts[1:3], "snapshot: parts of two snapshots: snapshot 1 of node 0 and snapshot 2 of node 0"},
		{[]snapshot.Part{parts[0], parts[0]}, "snapshot: two parts of node 1 of snapshot 1 of node 0: there must be one of each node"},
		{changed(func(p *snapshot.Part) { p.Node = 2 }), "snapshot: there is no node 2: there are 2"},
		{changed(func(p *snapshot.Part) { p.State = "7" }), "snapshot: the part of node 1"},
	} {
		_, err := snapshot.Assemble(keep, c.parts)
		assert.ErrorContains(t, err, c.says)
	}
	_, err = snapshot.Assemble(suzukikasami.New, parts[:2])
	assert.ErrorContains(t, err, "snapshot: the part of node 0 is not of a node of this algorithm")
}
