//go:build !doorway_explore

package explore_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/explore"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
)

// A club has a doorkeeper, node 0, who admits guests in their order, but node 1 only when
// no other guest waits; or if a coin says so, which he tosses whenever node 2 leaves.
type club struct {
	start messaging.Start

	Queue      []messaging.ID
	Busy, Poor bool
}

func (n *club) Request(out messaging.Out) { out.Send(0, asking{}) }
func (n *club) Release(out messaging.Out) { out.Send(0, leaving{}) }

func (n *club) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	heads := false
	switch m.(type) {
	case admitted:
		out.Enter()
		return
	case asking:
		if n.Poor = n.Poor || from == 1; from != 1 {
			n.Queue = append(n.Queue, from)
		}
	case leaving:
		n.Busy = false
		heads = from == 2 && out.Choose(2) == 1
	}
	switch {
	case n.Busy:
	case n.Poor && (heads || len(n.Queue) == 0):
		n.Busy, n.Poor = true, false
		out.Send(1, admitted{})
	case len(n.Queue) > 0:
		n.Busy = true
		out.Send(n.Queue[0], admitted{})
		n.Queue = n.Queue[1:]
	}
}

// If node 2 enters again and again, so does node 1, since heads come up. But node 2 need not
// request, and others can take turns without it: a run in which no coin is tossed is fair.
func TestNodesFairnessWithoutChoice(t *testing.T) {
	const often = explore.Unbounded
	for _, c := range []struct {
		requests []int
		starving []messaging.ID
	}{
		{[]int{0, 1, often, often, 0}, nil},
		{[]int{0, 1, often, often, often}, []messaging.ID{1}},
		{[]int{0, 1, 0, often, often}, []messaging.ID{1}},
	}[:tier.Pick(2, 3)] {
		r := checkedNodes(t, explore.NodesConfig{
			New:   func(start messaging.Start) messaging.Node { return &club{start: start} },
			Nodes: 5, Requests: c.requests,
		})
		assert.Equal(t, explore.Holds, r.DeadlockFree.Status)
		assert.Equal(t, c.starving, r.Starving, "%v", c.requests)
		if len(c.starving) > 0 && c.requests[2] != 0 {
			loop := r.StarvationFree.History.Events[r.StarvationFree.History.Loop:]
			assert.NotContains(t, loop, "S3 leaves")
		}
	}
}

// A tosser tosses a coin from time to time, and enters after so many heads in a row. If it is
// odd, it does so only every other time, and a run in which the time is never right is fair.
type tosser struct {
	need  int
	odd   bool
	Heads int
	Odd   bool
	Wants bool
}

type (
	toss  struct{}
	flips struct{}
)

func (n *tosser) Start(out messaging.Out) {
	out.After(4*time.Second, toss{})
	if n.odd {
		out.After(2*time.Second, flips{})
	}
}

func (n *tosser) Request(messaging.Out) { n.Wants = true }
func (n *tosser) Release(messaging.Out) {}

func (n *tosser) Receive(_ messaging.ID, m messaging.Message, out messaging.Out) {
	if m == any(flips{}) {
		n.Odd = !n.Odd
		out.After(2*time.Second, flips{})
		return
	}
	out.After(4*time.Second, toss{})
	switch {
	case !n.Wants || n.Odd:
	case out.Choose(2) == 0:
		n.Heads = 0
	default:
		if n.Heads++; n.Heads == n.need {
			n.Heads, n.Wants = 0, false
			out.Enter()
		}
	}
}

func TestNodesFairnessOfStates(t *testing.T) {
	for _, c := range []struct {
		need int
		odd  bool
		want string
	}{{1, false, explore.Holds}, {3, false, explore.Holds}, {1, true, explore.Fails}, {2, true, explore.Fails}} {
		r := checkedNodes(t, explore.NodesConfig{
			New:   func(messaging.Start) messaging.Node { return &tosser{need: c.need, odd: c.odd} },
			Nodes: 1, Perpetual: true, AnyTime: true,
		})
		assert.Equal(t, c.want, r.DeadlockFree.Status, "%+v", c)
	}
}

// A node that draws more than CheckNodes tries is told so.
func TestNodesDrawTooMuch(t *testing.T) {
	for says, draw := range map[string]func(out messaging.Out){
		"S1 asks, and draws more than 1000 numbers in one event: CheckNodes tries no more\n": func(out messaging.Out) {
			for more := true; more; {
				more = out.Choose(2) == 0
			}
		},
		"S1 asks, and draws numbers in one event that have more than 10000 results: CheckNodes tries each\n": func(out messaging.Out) {
			out.Choose(70_000)
		},
	} {
		for _, rounds := range []int{1, explore.Unbounded} {
			_, err := explore.CheckNodes(explore.NodesConfig{
				New: func(start messaging.Start) messaging.Node {
					return &clumsy{start: start, request: func(_ *clumsy, out messaging.Out) { draw(out); out.Enter() }}
				},
				Nodes: 1, Rounds: rounds, Memory: 64 << 20,
			})
			assert.ErrorContains(t, err, says, "%d rounds", rounds)
		}
	}
}
