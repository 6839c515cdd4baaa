//go:build !doorway_explore

package explore_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/node/layer"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/central"
	"example.org/doorway/messaging/topology"
)

// What would be checked in vain is refused.
func TestNodesConfigRefuses(t *testing.T) {
	for _, c := range []struct {
		config explore.NodesConfig
		says   string
	}{
		{explore.NodesConfig{CrashOf: []messaging.ID{1}}, "CrashOf or CrashIn, and Crashes is 0"},
		{explore.NodesConfig{CrashIn: []messaging.Phase{messaging.Idle}}, "CrashOf or CrashIn, and Crashes is 0"},
		{explore.NodesConfig{Crashes: 1, CrashIn: []messaging.Phase{9}}, "NodesConfig.CrashIn has Phase(9)"},
		{explore.NodesConfig{Crashes: 1, CrashOf: []messaging.ID{}}, "it is empty: no node would crash"},
		{explore.NodesConfig{Crashes: 1, CrashIn: []messaging.Phase{messaging.Absorbing}}, "and Withdrawals is 0: no node would crash"},
		{explore.NodesConfig{New: func(messaging.Start) messaging.Node { return (*ticker)(nil) }}, "the algorithm returned nil for node 0 of 2"},
		{explore.NodesConfig{New: func(messaging.Start) messaging.Node { return new(around) }}, "its method Unwrap must return another node than itself"},
		{explore.NodesConfig{Early: -1}, "NodesConfig.Early is -1: it must be 0 to 65535"},
		{explore.NodesConfig{AnyTime: true, Early: 1}, "both AnyTime and Early"},
	} {
		c.config.Nodes = 2
		if c.config.New == nil {
			c.config.New = central.New
		}
		_, err := explore.CheckNodes(c.config)
		assert.ErrorContains(t, err, c.says)
	}
}

// A check whose context is done ends soon: before it has found all states.
func TestNodesContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	held := 0
	c := explore.NodesConfig{New: central.New, Nodes: 4, Context: ctx, Invariant: func([]messaging.Node, []messaging.Event) error {
		if held++; held == 100 {
			cancel()
		}
		return nil
	}}
	_, err := explore.CheckNodes(c)
	require.ErrorIs(t, err, context.Canceled)
	ended := held
	c.Context = t.Context()
	_, err = explore.CheckNodes(c)
	require.NoError(t, err)
	assert.Greater(t, held-ended, 2*ended)
}

// An algorithm that makes no nodes, or not the same ones each time, is refused: no node has panicked.
func TestNodesAreMade(t *testing.T) {
	made := 0
	later := func(instead func() messaging.Node) messaging.Algorithm {
		made = 0
		return func(messaging.Start) messaging.Node {
			if made++; made == 2 {
				return instead()
			}
			return new(clerk)
		}
	}
	for want, a := range map[string]messaging.Algorithm{
		"the algorithm returned nil for node 0 of 2: it must return a new node each time": func(messaging.Start) messaging.Node {
			return nil
		},
		"the algorithm returned nil for node 1 of 2: it must return a new node each time": func(s messaging.Start) messaging.Node {
			return []*clerk{new(clerk), nil}[s.Self]
		},
		"the algorithm panicked when it was to make node 1: out of ink": func(s messaging.Start) messaging.Node {
			if s.Self == 1 {
				panic("out of ink")
			}
			return new(clerk)
		},
		"node 0 is one of 2, but the topology is for 3 nodes": messaging.On(make([][]messaging.ID, 3), central.New),
	} {
		_, err := explore.CheckNodes(explore.NodesConfig{New: a, Nodes: 2})
		assert.EqualError(t, err, want)
	}
	for want, a := range map[string]func() messaging.Node{
		"when it was to make it again, it panicked with: out of ink":                 func() messaging.Node { panic("out of ink") },
		"as a *explore_test.clerk, and as a *explore_test.guest from the same start": func() messaging.Node { return new(guest) },
		"as a *explore_test.clerk, and as a <nil> from the same start":               func() messaging.Node { return nil },
	} {
		_, err := explore.CheckNodes(explore.NodesConfig{New: later(a), Nodes: 2})
		assert.ErrorContains(t, err, "a handler behaves differently in equal states: the algorithm has made node 0")
		assert.ErrorContains(t, err, want)
	}
}

// A clerk is no lock: he admits guests in their order.
type clerk struct {
	Queue []messaging.ID
	Busy  bool
}

func (n *clerk) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if _, ok := m.(asking); ok {
		n.Queue = append(n.Queue, from)
	} else {
		n.Busy = false
	}
	if !n.Busy && len(n.Queue) > 0 {
		out.Send(n.Queue[0], admitted{})
		n.Busy, n.Queue = true, n.Queue[1:]
	}
}

type guest struct{}

func (*guest) Request(out messaging.Out) { out.Send(0, asking{}) }
func (*guest) Release(out messaging.Out) { out.Send(0, leaving{}) }

func (*guest) Receive(_ messaging.ID, _ messaging.Message, out messaging.Out) { out.Enter() }

// A gambler draws one of 9,000 numbers, again and again.
type gambler struct{ start messaging.Start }

func (n *gambler) Start(out messaging.Out) {
	out.Send((n.start.Self+1)%messaging.ID(n.start.Nodes), asking{})
}

func (n *gambler) Receive(_ messaging.ID, _ messaging.Message, out messaging.Out) {
	out.Choose(9000)
	n.Start(out)
}

// A state has few events, or else they are refused: they have numbers of 15 bits.
func TestTooManyEvents(t *testing.T) {
	_, err := explore.CheckNodes(explore.NodesConfig{
		New:   func(start messaging.Start) messaging.Node { return &gambler{start} },
		Nodes: 4, Perpetual: true,
	})
	require.ErrorContains(t, err, "36000 events are possible at the same time")

	for _, n := range tier.Pick(nil, []int{32767, 32768}) {
		r, err := explore.CheckSystem(explore.System[int]{
			Initial: []int{0},
			Next: func(s int, will, may func(event string, to int)) {
				if s > 0 {
					will("back", 0)
				}
				for k := 1; s == 0 && k <= n; k++ {
					may("pick", k)
				}
			},
			Leads: map[string]func(s int) (due, done bool){"picks": func(s int) (due, done bool) { return true, s > 0 }},
		})
		if n > 32767 {
			require.ErrorContains(t, err, "System.Next has 32768 events in one state: there may be 32767")
		} else {
			require.NoError(t, err)
			assert.Equal(t, explore.Fails, r.Leads["picks"].Status)
		}
	}
}

// An invariant on the value of a clock holds of the states that are visited, but not of
// those that they stand for.
func TestNodesInvariantOfValue(t *testing.T) {
	below := func(most messaging.Clock) messaging.Invariant {
		return func(nodes []messaging.Node, _ []messaging.Event) error {
			for i, n := range nodes {
				if c := n.(*ticker).Clock; c > most {
					return fmt.Errorf("the clock of node %d is %d", i, c)
				}
			}
			return nil
		}
	}
	c := explore.NodesConfig{
		New:   func(start messaging.Start) messaging.Node { return &ticker{start: start} },
		Nodes: 1, Rounds: 5, Invariant: below(3),
	}
	r := checkedNodes(t, c)
	assert.Equal(t, explore.Fails, r.Invariant.Status)
	c.Rounds = explore.Unbounded
	for _, c.Invariant = range []messaging.Invariant{below(3), func(nodes []messaging.Node, _ []messaging.Event) error {
		if 100 <= nodes[0].(*ticker).Clock && nodes[0].(*ticker).Clock < 1000 {
			return errors.New("it is that time")
		}
		return nil
	}} {
		_, err := explore.CheckNodes(c)
		assert.ErrorContains(t, err, "Invariant is not as it must be then: it depends on the value of a time")
	}
}

// A rule that breaks its own rules is named.
func TestNodesRules(t *testing.T) {
	asked := 0
	for name, c := range map[string]struct {
		rule messaging.Invariant
		says string
	}{
		"panics": {func([]messaging.Node, []messaging.Event) error { panic("oh") }, "NodesConfig.Invariant panicked: oh"},
		"gives two answers": {func([]messaging.Node, []messaging.Event) error {
			if asked++; asked%3 == 0 {
				return errors.New("three")
			}
			return nil
		}, "NodesConfig.Invariant gives two answers for one state: it says nothing, and again, three"},
		"writes to a node": {func(nodes []messaging.Node, _ []messaging.Event) error {
			nodes[0].(*ticker).Clock = 9
			return nil
		}, "NodesConfig.Invariant or Results changes what it is given, which it must not: it was Clock: 0 and is now Clock: 9"},
	} {
		_, err := explore.CheckNodes(explore.NodesConfig{New: func(start messaging.Start) messaging.Node { return &ticker{start: start} }, Nodes: 2, Invariant: c.rule})
		assert.ErrorContains(t, err, c.says, "an invariant that %s", name)
	}
	_, err := explore.CheckNodes(explore.NodesConfig{New: func(messaging.Start) messaging.Node { return &writer{} }, Nodes: 2, Results: func(o messaging.Outcome) error {
		for _, of := range o.Emitted {
			for _, v := range of {
				v.([]int)[0]++
			}
		}
		return nil
	}})
	assert.ErrorContains(t, err, "changes what it is given, which it must not: it was another")
}

// Results are not held before a node has emitted something, while nodes have yet to start.
func TestNodesResultsBeforeStart(t *testing.T) {
	r := checkedNodes(t, explore.NodesConfig{New: func(messaging.Start) messaging.Node { return &writer{} }, Nodes: 2, Results: func(o messaging.Outcome) error {
		if len(o.Emitted[0]) == 0 {
			return errors.New("node 0 has emitted nothing")
		}
		return nil
	}})
	assert.NoError(t, r.Err())
}

// A writer emits a slice.
type writer struct{}

func (*writer) Start(out messaging.Out)                                { out.Emit([]int{1}) }
func (*writer) Receive(messaging.ID, messaging.Message, messaging.Out) {}

// A node sends only to nodes to which it has a link.
func TestNodesTopology(t *testing.T) {
	r := checkedNodes(t, explore.NodesConfig{New: messaging.On(topology.Line(3), central.New), Nodes: 3})
	assert.ErrorContains(t, r.Err(), "sends central.Request to S1, to which it has no link: it has links to {S2}")
}

// An around wraps itself.
type around struct{ ticker }

func (n *around) Unwrap() messaging.Node { return n }

// A ticker enters at once, at the next time.
type ticker struct {
	start messaging.Start
	Clock messaging.Clock
}

func (n *ticker) Request(out messaging.Out) {
	n.Clock.Tick(n.start.Self)
	out.Enter()
}

func (*ticker) Release(messaging.Out) {}

func (*ticker) Receive(messaging.ID, messaging.Message, messaging.Out) {}

// A node that is no lock makes no request, and counts for no entry; one that wraps it is what it
// is.
func TestNodesThatAreNoLocks(t *testing.T) {
	bank := func(start messaging.Start) messaging.Node {
		if start.Self == 0 {
			return &clerk{}
		}
		return &guest{}
	}
	for what, a := range map[string]messaging.Algorithm{
		"bank":    bank,
		"wrapped": func(start messaging.Start) messaging.Node { n := layer.Around(bank(start)); return &n },
	} {
		r, err := explore.CheckNodes(explore.NodesConfig{New: a, Nodes: 3, Rounds: 2})
		require.NoError(t, err, what)
		assert.Equal(t, explore.Holds, r.DeadlockFree.Status, what)
		assert.Equal(t, [2]int{3, 1}, [2]int{r.Messages, r.Entries}, what)
	}
}
