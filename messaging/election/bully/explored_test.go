package bully_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/election"
	"example.org/doorway/messaging/election/bully"
)

// check explores an election that these nodes hold, each at any time.
func check(t *testing.T, c explore.NodesConfig, holders ...messaging.ID) *explore.NodesReport {
	t.Helper()
	c.New, c.Inputs = bully.New(time.Second, 2*time.Second), make([][]messaging.Message, c.Nodes)
	for _, i := range holders {
		c.Inputs[i] = append(c.Inputs[i], election.Hold{})
	}
	r, err := explore.CheckNodes(c)
	require.NoError(t, err, "%d nodes, %v hold it", c.Nodes, holders)
	t.Logf("%d nodes, %d of which may crash, %v hold it: %d states", c.Nodes, c.Crashes, holders, r.States)
	return r
}

// With a perfect detector and timeouts that are long enough, there is one leader at a time, and
// in the end it is live and all know it: any node may crash, at any time.
func TestExplored(t *testing.T) {
	type size struct {
		nodes, crashes int
		holders        []messaging.ID
	}
	sizes := []size{
		{1, 0, []messaging.ID{0}},
		{2, 1, []messaging.ID{0, 1}},
		{3, 1, []messaging.ID{0}},
		{3, 2, []messaging.ID{1}},
		{3, 2, []messaging.ID{2}},
		{4, 1, []messaging.ID{3}}, // the crash of the leader begins another election
		{4, 1, []messaging.ID{2}},
	}
	larger := []size{
		{3, 2, []messaging.ID{0}},
		{3, 1, []messaging.ID{0, 1}},
		{4, 2, []messaging.ID{3}},
		{4, 3, []messaging.ID{3}},
		{4, 1, []messaging.ID{1}},
		{4, 1, []messaging.ID{0}}, // 9,823,957 states, in a minute and 360 MB
	}
	for _, s := range append(sizes, tier.Pick(nil, larger)...) {
		r := check(t, explore.NodesConfig{Nodes: s.nodes, Crashes: s.crashes, Detected: true, Results: largest(election.OneAtATime)}, s.holders...)
		require.Empty(t, r.Failures(), "%+v", s)
		assert.Equal(t, explore.Holds, r.Results.Status)
		assert.Equal(t, explore.Holds, r.Quiescent.Status)
	}
}

// A node that has crashed starts again, at any time, and holds an election: all agree in the end.
func TestExploredRestarts(t *testing.T) {
	for _, holder := range []messaging.ID{0, 1, 2} {
		c := explore.NodesConfig{Nodes: 3, Crashes: 1, Restarts: 1, Unordered: tier.Pick(false, true), Results: largest(election.Results)}
		r := check(t, c, holder)
		require.Empty(t, r.Failures(), "node %d holds it", holder)
		assert.Equal(t, explore.Holds, r.Results.Status)
	}
}

// so far is what is right of an election before it is over: without a detector, the crash of a
// leader may remain unnoticed.
func soFar(results messaging.Results) messaging.Results {
	return func(o messaging.Outcome) error {
		o.Over = false
		return results(o)
	}
}

// At most one leader a term survives crashes, restarts and a wrong detector. At most one at a time
// needs that no live node is said to be down, and that none starts again; and no early
// timeouts, see ExampleNew_early.
func TestWhatOneLeaderNeeds(t *testing.T) {
	for _, test := range []struct {
		c     explore.NodesConfig
		holds messaging.ID
		fails string // of one at a time; "": it holds
	}{
		{explore.NodesConfig{Nodes: 3, Crashes: 2}, 1, ""},
		{explore.NodesConfig{Nodes: 2, Suspicions: 1}, 1, "nodes 0 and 1 lead at the same time"},
		{explore.NodesConfig{Nodes: 3, Crashes: 1, Restarts: 1}, 0, "nodes 1 and 2 lead at the same time"},
	} {
		c := test.c
		c.Results = soFar(election.Results)
		require.Equal(t, explore.Holds, check(t, c, test.holds).Results.Status)
		c.Results = soFar(election.OneAtATime)
		h := check(t, c, test.holds).Results.History
		if test.fails == "" {
			require.Nil(t, h)
			continue
		}
		require.NotNil(t, h)
		assert.Equal(t, "the results are wrong: "+test.fails, h.Title)
	}
}
