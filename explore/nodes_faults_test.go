//go:build !doorway_explore

package explore_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/nodetest"
	"example.org/doorway/messaging/permission/central"
	"example.org/doorway/messaging/permission/ricartagrawala"
	"example.org/doorway/messaging/sim"
)

// Nodes wait forever for one that has crashed: CrashOf has which one.
func TestNodesCrash(t *testing.T) {
	for _, c := range []struct {
		what     string
		of       []messaging.ID
		starving []messaging.ID
	}{
		{"the coordinator", []messaging.ID{0}, []messaging.ID{1, 2}},
		{"a client", []messaging.ID{1}, nil},
		{"any node", nil, []messaging.ID{1, 2}},
	} {
		r := checkedNodes(t, explore.NodesConfig{
			New: central.New, Nodes: 3, Crashes: 1, CrashOf: c.of, CrashIn: []messaging.Phase{messaging.Idle},
		})
		assert.Equal(t, c.starving, r.Starving, c.what)
		want := explore.Holds
		if len(c.starving) > 0 {
			want = explore.Fails
		}
		assert.Equal(t, want, r.DeadlockFree.Status, c.what)
	}
	_, err := explore.CheckNodes(explore.NodesConfig{New: central.New, Nodes: 2, CrashOf: []messaging.ID{2}})
	assert.ErrorContains(t, err, "NodesConfig.CrashOf has node 2: the nodes are 0 to 1")
}

// A node that is told of a crash acts on it, and wrongly if it has not happened.
func TestNodesDetector(t *testing.T) {
	c := explore.NodesConfig{New: ricartagrawala.NewAcknowledged(1, 3), Nodes: 2, Suspicions: 1}
	r := checkedNodes(t, c)
	require.Equal(t, explore.Fails, r.MutualExclusion.Status)
	assert.Contains(t, r.MutualExclusion.History.String(), "which it has not")
}

// A sleeper emits that its timer has expired, which runs a second longer at each node. It has its
// successor awake: a message that circulates, once or forever.
type sleeper struct {
	start   messaging.Start
	forever bool

	Waits, Late bool
}

type awake struct{}

func (n *sleeper) Start(out messaging.Out) {
	out.After(time.Duration(1+n.start.Self)*time.Second, tick{})
	if n.start.Self == 0 {
		out.Send(1, awake{})
	}
}

func (n *sleeper) Request(out messaging.Out) { n.Waits = true; n.enter(out) }

func (n *sleeper) Release(messaging.Out) { n.Waits = false }

func (n *sleeper) Receive(_ messaging.ID, m messaging.Message, out messaging.Out) {
	if _, timer := m.(tick); timer {
		n.Late = true
		out.Emit("expired")
		n.enter(out)
	} else if n.forever {
		out.Send(1-n.start.Self, awake{})
	}
}

// enter enters when the timer has expired.
func (n *sleeper) enter(out messaging.Out) {
	if n.Waits && n.Late {
		out.Enter()
	}
}

// A hopeful node enters after a second, if it has not heard of the other by then; otherwise after another.
type hopeful struct {
	start messaging.Start
	Lost  bool
}

func (n *hopeful) Request(out messaging.Out) { out.After(time.Second, tick{}) }

func (n *hopeful) Release(messaging.Out) {}

func (n *hopeful) Receive(_ messaging.ID, m messaging.Message, out messaging.Out) {
	_, timer := m.(tick)
	switch {
	case timer && !n.Lost:
		out.Send(1-n.start.Self, awake{})
		out.Enter()
	case timer:
		out.After(time.Second, tick{})
	}
	n.Lost = !timer
}

// Of two timers that are due at once, no time passes between the first and the second.
func TestNodesDueAtOnce(t *testing.T) {
	c := nodetest.Config{Nodes: 2, Entries: 2}
	algorithm := func(start messaging.Start) messaging.Node { return &hopeful{start: start} }
	r := checkedNodes(t, explore.NodesConfig{New: algorithm, Nodes: 2})
	assert.Equal(t, explore.Fails, r.MutualExclusion.Status)
	_, err := sim.Run(sim.Config{Algorithm: algorithm, Nodes: 2, Latency: sim.Constant(sim.T), Load: sim.Script{{Node: 0}, {Node: 1}}})
	require.ErrorContains(t, err, "two nodes are inside")
	err = nil
	for c.Seed = 0; c.Seed < 100 && err == nil; c.Seed++ {
		err = nodetest.Run(algorithm, c)
	}
	assert.ErrorContains(t, err, "two nodes are inside")
}

// A timer may expire early, the first that is due, as often as Early says. It need not: then
// who waits for it starves. While one runs, the run is not over.
func TestNodesEarly(t *testing.T) {
	for early, want := range []string{"[[] []]", "[[] []] [[expired] []]", "[[] []] [[expired] []] [[expired] [expired]]"} {
		var all []string
		over := false
		c := explore.NodesConfig{
			New:   func(start messaging.Start) messaging.Node { return &sleeper{start: start} },
			Nodes: 2, Requests: []int{0, 0}, Early: early,
			Results: func(o messaging.Outcome) error {
				assert.False(t, o.Over && len(o.Emitted[1]) == 0, "%v", o.Emitted)
				over = over || o.Over
				all = append(all, fmt.Sprint(o.Emitted))
				return nil
			},
		}
		checkedNodes(t, c)
		slices.Sort(all)
		all = slices.Compact(all)
		slices.SortStableFunc(all, func(a, b string) int { return len(a) - len(b) })
		assert.Equal(t, want, strings.Join(all, " "), "%d early", early)
		assert.Equal(t, early == 2, over, "%d early", early)
	}
	c := explore.NodesConfig{
		New:   func(start messaging.Start) messaging.Node { return &sleeper{start: start, forever: true} },
		Nodes: 2, Requests: []int{1, 0}, Early: 1, Perpetual: true,
	}
	r := checkedNodes(t, c)
	assert.Equal(t, []messaging.ID{0}, r.Starving)
	c.New, c.Perpetual = ricartagrawala.NewAcknowledged(1, 3), false
	c.Requests, c.Early = []int{1, 1}, 4
	r = checkedNodes(t, c)
	require.Equal(t, explore.Fails, r.MutualExclusion.Status, "a node that is slow is taken for one that has crashed")
	assert.Contains(t, r.MutualExclusion.History.String(), "from its timer, early")
	assert.NotEmpty(t, r.MutualExclusion.History.Scenario)
}

// A rash node enters when it is told that another has crashed.
type rash struct{ Waits bool }

func (n *rash) Request(messaging.Out) { n.Waits = true }
func (n *rash) Release(messaging.Out) { n.Waits = false }

func (n *rash) Receive(messaging.ID, messaging.Message, messaging.Out) {}

func (n *rash) Down(_ messaging.ID, out messaging.Out) {
	if n.Waits {
		out.Enter()
	}
}

// Live nodes are told of crashes once, also if the node that has crashed restarts, and a suspicion is wrong.
func TestNodesTold(t *testing.T) {
	for _, c := range []struct {
		config         explore.NodesConfig
		states, events int
	}{
		{explore.NodesConfig{Nodes: 2, Crashes: 2, Detected: true}, 6, 8},
		{explore.NodesConfig{Nodes: 2, Crashes: 1, CrashOf: []messaging.ID{1}, Restarts: 1, Detected: true}, 4, 4},
		{explore.NodesConfig{Nodes: 1, Crashes: 2, Restarts: 1}, 4, 3},
		{explore.NodesConfig{Nodes: 2, Crashes: 1, Suspicions: 1}, 6, 6},
		{explore.NodesConfig{Nodes: 1, Suspicions: 1}, 1, 0},
	} {
		c.config.New, c.config.Requests = func(messaging.Start) messaging.Node { return new(rash) }, make([]int, c.config.Nodes)
		r := checkedNodes(t, c.config)
		assert.Equal(t, [2]int{c.states, c.events}, [2]int{r.States, r.Events}, "%+v", c.config)
	}
	r := checkedNodes(t, explore.NodesConfig{New: func(messaging.Start) messaging.Node { return new(rash) }, Nodes: 2, Withdrawals: 1, Crashes: 1})
	assert.Equal(t, explore.Holds, r.FIFO.Status, "a node that has aborted and crashes has not entered")
}

// A history in which nodes are told of a crash has a scenario that repeats it.
func TestNodesToldAgain(t *testing.T) {
	a := func(messaging.Start) messaging.Node { return new(rash) }
	r := checkedNodes(t, explore.NodesConfig{New: a, Name: "rash", Nodes: 3, Crashes: 1, Detected: true})
	require.Equal(t, explore.Fails, r.MutualExclusion.Status)
	assert.Contains(t, r.MutualExclusion.History.String(), "learns of the crash of S3")
	s, err := sim.ReadScenario("rash", strings.NewReader(r.MutualExclusion.History.Scenario))
	require.NoError(t, err)
	run, err := s.Start(func(sim.Setting) (messaging.Algorithm, error) { return a, nil })
	require.NoError(t, err)
	assert.Equal(t, "exclusion", sim.Failure(run.Err()))
}

// A correspondent, node 0, writes twice to node 1 when that has been inside, and waits in vain.
type correspondent struct {
	start   messaging.Start
	Written bool
}

func (n *correspondent) Request(out messaging.Out) {
	if n.start.Self == 1 {
		out.Enter()
		out.Send(0, asking{})
	}
}

func (*correspondent) Release(messaging.Out) {}

func (n *correspondent) Receive(_ messaging.ID, m messaging.Message, out messaging.Out) {
	switch m := m.(type) {
	case asking:
		out.After(time.Second, tick{})
	case grant:
		out.Emit(m.N)
	case tick:
		if !n.Written {
			n.Written = true
			out.Send(1, grant{1})
			out.Send(1, grant{2})
		}
	}
}

// A message to a node that is down can be duplicated, so that it comes behind a later one.
func TestNodesTwiceWhileDown(t *testing.T) {
	r := checkedNodes(t, explore.NodesConfig{
		New: func(start messaging.Start) messaging.Node { return &correspondent{start: start} }, Nodes: 2,
		Crashes: 1, CrashOf: []messaging.ID{1}, CrashIn: []messaging.Phase{messaging.Inside}, Restarts: 1, Duplicates: 1,
		Results: func(o messaging.Outcome) error {
			if fmt.Sprint(o.Emitted[1]) == "[2 1]" {
				return errors.New("the letters are in the wrong order")
			}
			return nil
		},
		Invariant: func(nodes []messaging.Node, transit []messaging.Event) error {
			if nodes[1] == nil && slices.ContainsFunc(transit, func(e messaging.Event) bool { return e.To == 1 }) {
				return errors.New("what is for a node that is down is shown")
			}
			return nil
		},
	})
	require.Equal(t, explore.Fails, r.Results.Status)
	assert.Contains(t, r.Results.History.String(), "S2 will get GRANT(N:1) from S1 twice\nS2, which is down, loses GRANT(N:1) from S1\nS2 starts again\n")
	assert.NotEmpty(t, r.Results.History.Scenario)
}
