package intervals

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/nodetest"
	"example.org/doorway/messaging/sim"
)

type (
	// A jealous node says that it excludes all others.
	jealous struct{ node }

	// A generous node defers nothing.
	generous struct{ node }

	// A greedy node takes every interval for its own, and defers as Ricart and Agrawala do.
	greedy struct{ node }
)

func (n *jealous) Excludes(messaging.ID) bool { return true }

func (n *generous) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if r, ok := m.(request); ok {
		n.Highest.Witness(r.Of)
		out.Send(from, reply{r.Of})
		return
	}
	n.node.Receive(from, m, out)
}

func (n *greedy) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if r, ok := m.(request); ok {
		m = request{r.Of, n.needs.From, n.needs.To}
	}
	n.node.Receive(from, m, out)
}

func TestIntersects(t *testing.T) {
	for _, c := range []struct {
		i, j Interval
		want bool
	}{
		{Interval{0, 2}, Interval{0, 2}, true},
		{Interval{0, 2}, Interval{1, 3}, true},
		{Interval{0, 9}, Interval{4, 5}, true},
		{Interval{0, 2}, Interval{2, 3}, false},
		{Interval{-5, -2}, Interval{3, 4}, false},
	} {
		assert.Equal(t, c.want, c.i.intersects(c.j), "%v and %v", c.i, c.j)
		assert.Equal(t, c.want, c.j.intersects(c.i), "%v and %v", c.j, c.i)
	}
}

// The exclusion of intervals is stated and checked for each pair of nodes. Nodes 0 and 2 are
// inside at the same time, which is a failure if they exclude each other. Nodes that defer
// nothing violate the exclusion of 0 and 1. Nodes that defer all let 2 wait for 0, which is
// inside, in vain.
func TestExclusionOfEachPair(t *testing.T) {
	of := New([]Interval{{0, 2}, {1, 3}, {2, 4}})
	plain := func(s messaging.Start) node { return *of(s).(*node) }
	for _, c := range []struct {
		a        messaging.Algorithm
		requests []int
		kind     string
		text     string
	}{
		{of, []int{1, 1, 1}, "", ""},
		{func(s messaging.Start) messaging.Node { return &jealous{plain(s)} }, []int{1, 0, 1}, "exclusion", "inside: S1 and S3"},
		{func(s messaging.Start) messaging.Node { return &generous{plain(s)} }, []int{1, 1, 0}, "exclusion", "inside: S1 and S2"},
		{func(s messaging.Start) messaging.Node { return &greedy{plain(s)} }, []int{1, 0, 1}, "deadlock", "S1 enters"},
	} {
		r, err := explore.CheckNodes(explore.NodesConfig{New: c.a, Nodes: 3, Requests: c.requests})
		require.NoError(t, err)
		assert.Equal(t, c.kind, found(c.a), "random schedules, not %v", r)
		var h *explore.History
		switch c.kind {
		case "":
			assert.NoError(t, r.Err())
			continue
		case "exclusion":
			h = r.MutualExclusion.History
		case "deadlock":
			h = r.DeadlockFree.History
		}
		require.NotNil(t, h, "%v", r)
		assert.Contains(t, h.String(), c.text)
		assert.NotEmpty(t, h.Scenario, "package sim does not repeat %v", h)
	}
}

// found returns how the algorithm fails in random schedules, "" if it does not.
func found(a messaging.Algorithm) string {
	for seed := range uint64(200) {
		if kind := sim.Failure(nodetest.Run(a, nodetest.Config{Nodes: 3, Seed: seed})); kind != "" {
			return kind
		}
	}
	return ""
}
