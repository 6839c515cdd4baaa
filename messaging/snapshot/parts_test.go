package snapshot_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/node/host"
	"example.org/doorway/internal/node/layer"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
	"example.org/doorway/messaging/snapshot"
	"example.org/doorway/messaging/topology"
)

// The nodes of a cut are made from what those of the run were made from.
func TestStartsOfCuts(t *testing.T) {
	run := func(a messaging.Algorithm, c sim.Config) []messaging.Node {
		c.Nodes, c.Holder, c.Inputs = 3, 1, []sim.Input{{At: 9 * sim.T, Message: take}}
		cut, err := snapshot.Assemble(a, parts(t, c))
		require.NoError(t, err)
		return cut.Nodes
	}
	start := func(n messaging.Node) messaging.Start { return n.(*keeper).start }

	nodes := run(keep, sim.Config{Algorithm: snapshot.Over(keep, nil), Crashes: []sim.Crash{{Node: 2, At: sim.T, Restart: 2 * sim.T}}})
	assert.Equal(t, messaging.Start{Self: 0, Nodes: 3, Holder: 1}, start(nodes[0]))
	assert.Equal(t, messaging.Start{Self: 2, Nodes: 3, Holder: 1, Restarted: true}, start(nodes[2]))

	nodes = run(keep, sim.Config{Algorithm: snapshot.Over(keep, topology.Line(3))})
	assert.Equal(t, []messaging.ID{1}, start(nodes[0]).Neighbors)
	assert.Equal(t, []messaging.ID{0, 2}, start(nodes[1]).Neighbors)

	wrapped := func(start messaging.Start) messaging.Node {
		n := layer.Around(keep(start))
		return &n
	}
	nodes = run(wrapped, sim.Config{Algorithm: snapshot.Over(wrapped, nil)})
	assert.True(t, nodes[1].(*keeper).HasToken)
	assert.False(t, nodes[0].(*keeper).HasToken)
}

// A snapshot that is not complete in the end, or has a part too many, is a wrong result; of several that are,
// the first is told.
func TestResults(t *testing.T) {
	began := func(of messaging.ID, number uint64) snapshot.Began {
		return snapshot.Began{Of: snapshot.ID{Initiator: of, Number: number}}
	}
	o := messaging.Outcome{Emitted: [][]any{nil, {began(1, 1), began(1, 2)}}}
	rule := snapshot.Results(keep, nil)
	assert.NoError(t, rule(o))
	o.Over = true
	assert.EqualError(t, rule(o), "snapshot 1 of node 1 is not complete: it has 0 parts of 2 nodes")
	o.Emitted[0] = []any{began(0, 1)}
	assert.EqualError(t, rule(o), "snapshot 1 of node 0 is not complete: it has 0 parts of 2 nodes")
	o.Emitted[0] = nil
	assert.EqualError(t, rule(o), "snapshot 1 of node 1 is not complete: it has 0 parts of 2 nodes")
	o.Down.Add(0)
	assert.NoError(t, rule(o))

	site := host.NewSite(snapshot.Over(keep, nil), messaging.Start{Nodes: 1}, nil)
	site.Receive(0, take)
	assert.NoError(t, rule(messaging.Outcome{Emitted: [][]any{site.Emits}, Over: true}))
	twice := append(site.Emits, site.Emits[1])
	assert.ErrorContains(t, rule(messaging.Outcome{Emitted: [][]any{twice}}), "2 parts of snapshot 1 of node 0: there must be one of each of 1 nodes")
}

// The invariant and the results of a protocol with snapshots are held on what is its own.
func TestProtocol(t *testing.T) {
	var transit, emitted int
	own := messaging.Protocol{
		Name: "keep", Kinds: []messaging.Message{Pass{}, Token{}}, Perpetual: true,
		New:       func(int) (messaging.Algorithm, error) { return keep, nil },
		Invariant: func(_ []messaging.Node, events []messaging.Event) error { transit = len(events); return nil },
		Results: func(o messaging.Outcome) error {
			emitted = len(o.Emitted[0])
			return errors.New("it is wrong")
		},
	}
	p := snapshot.Of(own, nil)
	assert.Equal(t, "snapshot-keep", p.Name)
	marker := p.Kinds[1]
	assert.Equal(t, "MARKER", messaging.Kind(marker))
	assert.Equal(t, []messaging.Message{take, marker, Pass{}, Token{}}, p.Kinds)
	assert.True(t, p.FIFO, "a Marker must not be overtaken")
	assert.True(t, p.Perpetual)

	site := host.NewSite(snapshot.Over(keep, nil), messaging.Start{Nodes: 1}, nil)
	site.Receive(0, take)
	assert.EqualError(t, p.Results(messaging.Outcome{Emitted: [][]any{append(site.Emits, 7)}}), "it is wrong")
	assert.Equal(t, 1, emitted)
	assert.NoError(t, p.Invariant([]messaging.Node{site.Node(), nil}, []messaging.Event{{Message: Token{}}, {Message: marker}}))
	assert.Equal(t, 1, transit)

	own.Invariant = nil
	assert.Nil(t, snapshot.Of(own, nil).Invariant)
}
