package raymond

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/node/host"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
	"example.org/doorway/messaging/topology"
)

// With a bound of 0, each order is FIFO: the same events occur at the same times.
func TestBoundOfZero(t *testing.T) {
	for name, tree := range map[string]topology.Graph{
		"line": topology.Line(9), "star": topology.Star(9), "binary": topology.Tree(9, 2), "random": topology.Random(9, 8, 1),
	} {
		want := events(t, New(tree))
		assert.Equal(t, want, events(t, NewGreedy(tree, 0)), "%s: greedy", name)
		assert.Equal(t, want, events(t, NewLift(tree, 0)), "%s: lift", name)
		assert.NotEqual(t, want, events(t, NewGreedy(tree, 1)), "%s: greedy with a bound of 1", name)
	}
}

func events(t *testing.T, a messaging.Algorithm) []string {
	t.Helper()
	var all []string
	_, err := sim.Run(sim.Config{
		Algorithm: a, Nodes: 9, Load: sim.HighLoad{Think: sim.Uniform(0, 20*sim.T)}, Entries: 100, Latency: sim.Exponential(sim.T),
		GiveUp: 0.2, Observe: func(e messaging.Event) { all = append(all, fmt.Sprint(e)) },
	})
	require.NoError(t, err)
	return all
}

func TestNegativeBound(t *testing.T) {
	assert.PanicsWithValue(t, "raymond: NewGreedy with the bound -1: it must be at least 0", func() { NewGreedy(topology.Line(2), -1) })
	assert.PanicsWithValue(t, "raymond: NewLift with the bound -1: it must be at least 0", func() { NewLift(topology.Line(2), -1) })
}

// The token comes from node 1 to the middle of a star, node 0, and back there after each
// entry. Those who wait are served in an order that depends on the form of the algorithm.
func TestOrders(t *testing.T) {
	star := topology.Star(4)
	for _, c := range []struct {
		name     string
		a        messaging.Algorithm
		requests []messaging.ID
		order    []messaging.ID
	}{
		{"FIFO", New(star), []messaging.ID{2, 1, 3, 0}, []messaging.ID{2, 1, 3, 0}},
		{"greedy", NewGreedy(star, 1), []messaging.ID{2, 1, 3, 0}, []messaging.ID{0, 2, 1, 3}},
		{"greedy, passing over none", NewGreedy(star, 0), []messaging.ID{2, 1, 3, 0}, []messaging.ID{2, 1, 3, 0}},
		{"lift", NewLift(star, 1), []messaging.ID{2, 1, 3, 0}, []messaging.ID{0, 2, 1, 3}},
		{"FIFO, self first", New(star), []messaging.ID{0, 1, 2, 3}, []messaging.ID{0, 1, 2, 3}},
		{"greedy, self first", NewGreedy(star, 1), []messaging.ID{0, 1, 2, 3}, []messaging.ID{0, 1, 2, 3}},
		{"lift, self first", NewLift(star, 1), []messaging.ID{0, 1, 2, 3}, []messaging.ID{0, 2, 1, 3}},
		{"lift, passing over none", NewLift(star, 0), []messaging.ID{0, 1, 2, 3}, []messaging.ID{0, 1, 2, 3}},
	} {
		s := host.NewSite(c.a, messaging.Start{Nodes: 4, Holder: 1}, nil)
		for _, i := range c.requests {
			if i == 0 {
				s.Request()
			} else {
				s.Receive(i, request{})
			}
		}
		s.Done()
		assert.Equal(t, c.order, served(s), c.name)
	}
}

// served delivers the token to a site in the middle, from node 1 first, and returns the
// nodes that it serves, in order.
func served(s *host.Site) (order []messaging.ID) {
	s.Receive(1, token{})
	for {
		if s.Phase() == messaging.Inside {
			order = append(order, 0)
			s.Release()
		}
		sends := slices.Clone(s.Sends)
		s.Done()
		if len(sends) > 0 {
			order = append(order, sends[0].To)
		}
		if len(sends) < 2 { // the token, but no request to get it back
			return order
		}
		s.Receive(sends[0].To, token{})
	}
}

// With a bound of 1, a node that was passed over once is next, even if the node where the
// token arrives asks again.
func TestPassedOverOnce(t *testing.T) {
	s := host.NewSite(NewGreedy(topology.Star(4), 1), messaging.Start{Nodes: 4, Holder: 1}, nil)
	s.Receive(2, request{})
	s.Receive(3, request{})
	s.Request()
	s.Receive(1, token{})
	require.Equal(t, messaging.Inside, s.Phase(), "it passes over both")
	s.Done()
	s.Release()
	assert.Equal(t, messaging.ID(2), s.Sends[0].To)
	s.Request()
	s.Done()
	s.Receive(2, token{})
	assert.Equal(t, messaging.Waiting, s.Phase(), "node 3 was passed over")
	assert.Equal(t, messaging.ID(3), s.Sends[0].To)
}

// A lift goes on away from the node that the token came from, whoever asked last.
func TestLiftGoesOn(t *testing.T) {
	s := host.NewSite(NewLift(topology.Star(4), 1), messaging.Start{Nodes: 4, Holder: 1}, nil)
	s.Request()
	s.Receive(1, token{})
	s.Receive(1, request{})
	s.Receive(2, request{})
	s.Done()
	s.Release()
	assert.Equal(t, messaging.ID(2), s.Sends[0].To)
}
