//go:build !doorway_explore

package explore_test

import (
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
	"example.org/doorway/messaging/topology"
)

// A clumsy node does something wrong when its user requests, or when it gets what it then sends.
type clumsy struct {
	start    messaging.Start
	request  func(n *clumsy, out messaging.Out)
	Admitted bool // any exported field
}

func (n *clumsy) Request(out messaging.Out) { n.request(n, out) }
func (n *clumsy) Release(messaging.Out)     {}

func (n *clumsy) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if m == any(admitted{}) {
		out.Enter()
		return
	}
	messaging.Refuse("clumsy", n.start.Self, from, m, "it has not asked")
}

// A node that panics is a verdict, with a shortest run, and its title says what the node did.
func TestNodesPanic(t *testing.T) {
	for title, request := range map[string]func(n *clumsy, out messaging.Out){
		"S3 refused ASKING from S1: it has not asked":     func(_ *clumsy, out messaging.Out) { out.Send(2, asking{}) },
		"S1 refused ASKING from itself: it has not asked": func(_ *clumsy, out messaging.Out) { out.Send(0, asking{}) },
		"S1 refused ASKING from its timer: it has not asked": func(_ *clumsy, out messaging.Out) {
			out.After(1, asking{})
		},
		"S3 enters, but it is idle: a node enters once per request": func(_ *clumsy, out messaging.Out) { out.Send(2, admitted{}) },
		"S1 sends explore_test.asking to S2, to which it has no link: it has links to {S3}": func(_ *clumsy, out messaging.Out) {
			out.Send(1, asking{})
		},
		"S1 asks, and panics: runtime error: index out of range [0] with length 0": func(n *clumsy, _ messaging.Out) {
			_ = []int{}[n.start.Self]
		},
		"S1 asks, and panics: clumsy: S1 got explore_test.asking {} from S2: why": func(_ *clumsy, _ messaging.Out) {
			messaging.Refuse("clumsy", 0, 1, asking{}, "why") // what did not come
		},
		"S1 asks, and panics: drawn": func(_ *clumsy, out messaging.Out) {
			if out.Choose(2) == 1 {
				panic("drawn")
			}
			out.Enter()
		},
	} {
		star := messaging.On(topology.Graph{{2}, {2}, {0, 1}}, func(start messaging.Start) messaging.Node {
			return &clumsy{start: start, request: request}
		})
		r, err := explore.CheckNodes(explore.NodesConfig{New: star, Name: "clumsy", Nodes: 3, Requests: []int{2, 0, 0}})
		require.NoError(t, err, title)
		require.Equal(t, explore.Fails, r.NoPanic.Status, title)
		h := r.NoPanic.History
		assert.Equal(t, title, h.Title)
		_, err = explore.CheckNodes(explore.NodesConfig{New: star, Nodes: 3, Requests: []int{explore.Unbounded, 0, 0}})
		assert.NoError(t, err, title)
		assert.Equal(t, "S1 asks", h.Events[0])
		assert.LessOrEqual(t, h.Length, 2, title)
		assert.Contains(t, h.Scenario, "version 1; nodes 3; algorithm clumsy")
		assert.ErrorContains(t, r.Err(), title+"\nS1 asks")
		assert.Equal(t, "panic", sim.Failure(r.Err()), title)
		assert.Regexp(t, `(?m)^  no panic +fails, in [12] events$`, r.String())
		assert.Equal(t, explore.Unknown, r.MutualExclusion.Status, title)
	}
}

// A timer may run for any time, and is not taken for what was emitted.
func TestNodesTimers(t *testing.T) {
	for _, c := range []struct {
		states   int
		deadlock string
		request  func(n *clumsy, out messaging.Out)
	}{
		{4, explore.Holds, func(_ *clumsy, out messaging.Out) { out.After(math.MaxInt64, admitted{}) }},
		{2, explore.Unknown, func(_ *clumsy, out messaging.Out) {
			out.After(math.MaxInt64, admitted{})
			out.After(math.MaxInt64-1, asking{}) // which it refuses before it enters
		}},
		{5, explore.Fails, func(_ *clumsy, out messaging.Out) {
			if out.Choose(2) == 0 {
				out.Emit(asking{}) // the first message of the exploration
				out.Emit(admitted{})
			} else {
				out.After(0, admitted{})
			}
		}},
	} {
		r := checkedNodes(t, explore.NodesConfig{
			New:   func(start messaging.Start) messaging.Node { return &clumsy{start: start, request: c.request} },
			Nodes: 1, Results: func(messaging.Outcome) error { return nil },
		})
		assert.Equal(t, []any{c.states, c.deadlock}, []any{r.States, r.DeadlockFree.Status})
	}
}

// What is emitted is no message.
func TestNodesEmitsPlainData(t *testing.T) {
	_, err := explore.CheckNodes(explore.NodesConfig{
		New: func(messaging.Start) messaging.Node {
			return &clumsy{request: func(_ *clumsy, out messaging.Out) { out.Emit(0.5) }}
		},
		Nodes: 1, Results: func(messaging.Outcome) error { return nil },
	})
	assert.ErrorContains(t, err, "S1 emits what is not plain data: state: float64 is a float64: machines round differently\n")
	assert.Equal(t, "kind", sim.Failure(err))
}

// What a node emits, how long its timers run, and how often it draws must be the same each time.
func TestNodesAgain(t *testing.T) {
	for _, request := range []func(calls int, out messaging.Out){
		func(calls int, out messaging.Out) { out.Emit(calls) },
		func(calls int, out messaging.Out) { out.After(time.Duration(calls), admitted{}) },
		func(calls int, out messaging.Out) {
			if calls > 1 {
				out.Choose(2)
			}
		},
	} {
		calls := 0
		_, err := explore.CheckNodes(explore.NodesConfig{
			New: func(messaging.Start) messaging.Node {
				return &clumsy{request: func(_ *clumsy, out messaging.Out) { calls++; request(calls, out) }}
			},
			Nodes: 1, Results: func(messaging.Outcome) error { return nil },
		})
		assert.Equal(t, "nondeterministic", sim.Failure(err))
	}
}

// A handler that ends its goroutine does not end that of the caller.
func TestNodesExit(t *testing.T) {
	c := explore.NodesConfig{Nodes: 2, New: func(start messaging.Start) messaging.Node {
		return &clumsy{start: start, request: func(*clumsy, messaging.Out) { runtime.Goexit() }}
	}}
	_, err := explore.CheckNodes(c)
	assert.ErrorContains(t, err, "has called runtime.Goexit, as FailNow of a test does: it must return")
	c.New = func(start messaging.Start) messaging.Node {
		return &clumsy{start: start, request: func(_ *clumsy, out messaging.Out) { out.Send(1-start.Self, exiting{}) }}
	}
	_, err = explore.CheckNodes(c)
	assert.ErrorContains(t, err, "has called runtime.Goexit, as FailNow of a test does: it must return", "while the scenario is told")
	c.Progress = func(string, int, int64) { panic("why") }
	_, err = explore.CheckNodes(c)
	assert.EqualError(t, err, "explore: NodesConfig.Progress panicked: why")
}

// An exiting message ends the goroutine that prints it.
type exiting struct{}

func (exiting) String() string {
	runtime.Goexit()
	return ""
}

// A moody node says first that it is no lock, and then that it is one.
type moody struct{ usher }

var moods int

func (n *moody) Can(any) bool {
	moods++
	return moods > 1
}

// What is said of the node has its type, not that of what the check puts around it.
func TestNodesCanIsRandom(t *testing.T) {
	moods = 0
	r := checkedNodes(t, explore.NodesConfig{New: func(start messaging.Start) messaging.Node { return &moody{usher{start: start}} }, Nodes: 2})
	assert.Contains(t, r.NoPanic.History.String(), "a *explore_test.moody: it is no Exclusion")
}
