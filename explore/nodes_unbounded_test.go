//go:build !doorway_explore

package explore_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/node/layer"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/lamport"
	"example.org/doorway/messaging/permission/ricartagrawala"
	"example.org/doorway/messaging/permission/roucairolcarvalho"
	"example.org/doorway/messaging/sim"
	"example.org/doorway/messaging/token/suzukikasami"
)

func unbounded(a messaging.Algorithm, nodes int) (*explore.NodesReport, error) {
	return explore.CheckNodes(explore.NodesConfig{New: a, Nodes: nodes, Rounds: explore.Unbounded})
}

// Up to a shift of all times, Ricart-Agrawala and Lamport have finitely many states for any
// number of requests, and everything holds that holds for a few: who waits is bypassed as often.
func TestNodesClocks(t *testing.T) {
	for _, c := range []struct {
		name   string
		a      messaging.Algorithm
		states []int // by number of nodes
	}{
		{"ricartagrawala", ricartagrawala.New, tier.Pick([]int{2: 21}, []int{2: 21, 1882, 1_728_139})},
		{"lamport-suppressed", lamport.NewSuppressed, []int{2: 649}},
		{"lamport", lamport.New, []int{2: 2574}},
	}[:tier.Pick(1, 3)] {
		t.Run(c.name, func(t *testing.T) {
			pkg, _, _ := strings.Cut(c.name, "-")
			tier.Each(t, pkg)
			for nodes := 2; nodes < len(c.states); nodes++ {
				r, err := unbounded(c.a, nodes)
				require.NoError(t, err, "%d nodes", nodes)
				assert.NoError(t, r.Err(), "%d nodes", nodes)
				assert.Equal(t, c.states[nodes], r.States, "%d nodes", nodes)
				assert.Equal(t, []int{2, 2 * (nodes - 1)}, []int{r.Bypasses, r.BypassesByAll}, "%d nodes", nodes)
				assert.Equal(t, explore.Holds, r.ByStamp.Status, "%d nodes", nodes)
				if nodes > 3 {
					continue
				}
				few := checkedNodes(t, explore.NodesConfig{New: c.a, Nodes: nodes, Rounds: 5 - nodes})
				assert.Equal(t, few.Bypasses, r.Bypasses)
				assert.Equal(t, few.FIFO.History, r.FIFO.History, "of the same length, with the same times")
				assert.Equal(t, few.HappenedBefore.Status, r.HappenedBefore.Status, "%d nodes", nodes)
				if h := few.HappenedBefore.History; h != nil {
					assert.Equal(t, h.Length, r.HappenedBefore.History.Length, "%d nodes", nodes)
				}
				assert.Equal(t, few.Queue, r.Queue)
			}
		})
	}
}

// A quirk is a node of Ricart-Agrawala that does something else when quirky says so of
// its latest request: it enters without asking.
type quirk struct {
	start  messaging.Start
	quirky func(n *quirk) bool

	Node  messaging.Node
	Clock messaging.Clock
	Count int
}

func quirks(quirky func(n *quirk) bool) messaging.Algorithm {
	return func(start messaging.Start) messaging.Node {
		return &quirk{start: start, quirky: quirky, Node: ricartagrawala.New(start)}
	}
}

func (n *quirk) Request(out messaging.Out) {
	n.Clock.Tick(n.start.Self)
	if n.quirky(n) {
		out.Enter()
		return
	}
	n.Node.(messaging.Exclusion).Request(out)
}

func (n *quirk) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if m, ok := m.(ricartagrawala.Request); ok {
		n.Clock.Witness(m.Of)
	}
	n.Node.Receive(from, m, out)
}

func (n *quirk) Release(out messaging.Out) { n.Node.(messaging.Exclusion).Release(out) }

// What depends on the value of a time is refused, before it is wrong: the states of a shift
// are not equal.
func TestNodesTimesCount(t *testing.T) {
	for _, c := range []struct {
		name   string
		quirky func(n *quirk) bool
	}{
		{"enters at once at even times", func(n *quirk) bool { return n.Clock%2 == 0 }},
		{"enters at once every 37 times", func(n *quirk) bool { return n.Clock%37 == 36 }},
		{"enters at once at time 20", func(n *quirk) bool { return n.Clock == 20 }},
		{"enters at once from time 1000 on", func(n *quirk) bool { return n.Clock >= 1000 }},
		{"enters at once every 1000 times", func(n *quirk) bool { return n.Clock%1000 == 999 }},
		{"enters at once at time 777", func(n *quirk) bool { return n.Clock == 777 }},
		{"takes times for 16 bits", func(n *quirk) bool { return int16(n.Clock) < 0 }},
	}[:tier.Pick(2, 7)] {
		name := c.name
		_, err := unbounded(quirks(c.quirky), 2)
		require.Error(t, err, name)
		assert.Contains(t, err.Error(), "depends on the value of a time, or on something that is no state", name)
		assert.Regexp(t, `S\d asks in state .*: it did .*, but with all times later by \d+, `, err.Error(), name)
	}
	r := checkedNodes(t, explore.NodesConfig{New: quirks(func(*quirk) bool { return false }), Nodes: 2, Rounds: explore.Unbounded})
	assert.NoError(t, r.Err())
}

// A history has the times of the run, although states do not: package sim repeats it.
func TestNodesTrueTimes(t *testing.T) {
	fifth := quirks(func(n *quirk) bool {
		if n.start.Self == 1 && n.Count < 5 {
			n.Count++
		}
		return n.Count == 5
	})
	r, err := unbounded(fifth, 2)
	require.NoError(t, err)
	h := r.MutualExclusion.History
	require.NotNil(t, h)
	few := checkedNodes(t, explore.NodesConfig{New: fifth, Nodes: 2, Requests: []int{1, 5}})
	assert.Equal(t, few.MutualExclusion.History.Length, h.Length, "it is a shortest one")
	assert.Contains(t, h.String(), "REQUEST(5,S1)")
	require.NotEmpty(t, h.Scenario)
	_, err = sim.ReadScenario("history", strings.NewReader(h.Scenario))
	assert.NoError(t, err)
}

// A hoarder keeps something of each request, and excludes no other node.
type hoarder struct {
	hoard func(n *hoarder, out messaging.Out)
	Line  []int
	Debt  int
	Ink   []byte
}

func (n *hoarder) Request(out messaging.Out) { n.hoard(n, out); out.Enter() }

func (*hoarder) Release(messaging.Out)                                  {}
func (*hoarder) Receive(messaging.ID, messaging.Message, messaging.Out) {}
func (*hoarder) Excludes(messaging.ID) bool                             { return false }

func hoarders(hoard func(n *hoarder, out messaging.Out)) messaging.Algorithm {
	return func(messaging.Start) messaging.Node { return &hoarder{hoard: hoard} }
}

// What grows with the requests is refused early, and named.
func TestNodesGrow(t *testing.T) {
	for _, c := range []struct {
		a    messaging.Algorithm
		what string
	}{
		{suzukikasami.New, "the field RN[] of a node reaches 257"},
		{roucairolcarvalho.New, "the time Highest of a node, counted from the least one of all nodes and messages, reaches 257"},
		{hoarders(func(n *hoarder, _ messaging.Out) { n.Line = append(n.Line, 0) }), "the length of the field Line of a node reaches 257"},
		{hoarders(func(n *hoarder, _ messaging.Out) { n.Debt-- }), "the field Debt of a node reaches 257"},
		{hoarders(func(_ *hoarder, out messaging.Out) { out.After(time.Second, asking{}) }), "the number of timers of a node reaches 257"},
		{hoarders(func(_ *hoarder, out messaging.Out) { out.Send(1, asking{}) }), "the number of messages in transit on a link reaches 257"},
	} {
		_, err := unbounded(c.a, 2)
		require.Error(t, err)
		assert.Contains(t, err.Error(), "NodesConfig.Rounds is Unbounded, and states grow with the requests: "+c.what)
		assert.False(t, errors.Is(err, explore.ErrMemory))
	}
	r, err := explore.CheckNodes(explore.NodesConfig{New: suzukikasami.New, Nodes: 2, Rounds: explore.Unbounded, Losses: 1})
	require.NoError(t, err, "a deadlock that was found before is a verdict")
	assert.Equal(t, explore.Fails, r.DeadlockFree.Status)
	assert.Equal(t, []messaging.ID{0, 1}, r.Starving)
	assert.Equal(t, explore.Unknown, r.MutualExclusion.Status, "not all states were visited")
}

// What grows behind the length of a slice is in no state, and is refused; what is reused there is not.
func TestNodesGrowUnseen(t *testing.T) {
	for _, c := range []struct {
		name  string
		grow  func(n *hoarder)
		error string
	}{
		{"reuses memory", func(n *hoarder) { n.Line = append(n.Line[:0], 7)[:0] }, ""},
		{"counts", func(n *hoarder) {
			if n.Line == nil {
				n.Line = make([]int, 0, 1)
			}
			n.Line[:1][0]++
		}, "state"},
		{"takes more memory", func(n *hoarder) { n.Line = make([]int, 0, cap(n.Line)+1) }, "state"},
	} {
		_, err := explore.CheckNodes(explore.NodesConfig{
			New:   hoarders(func(n *hoarder, _ messaging.Out) { c.grow(n) }),
			Nodes: 1, Rounds: explore.Unbounded, Memory: 2 << 20,
		})
		assert.Equal(t, c.error, sim.Failure(err), "%s: %v", c.name, err)
		if c.error != "" {
			assert.ErrorContains(t, err, "after equal states of node 0, what is in the spare capacity of the slice Line grows, and there seems to be no end of it", c.name)
		}
	}
}

// What a closure has kept is in no state, and is refused, too, if it changes what a node does after many events.
func TestNodesCount(t *testing.T) {
	for _, c := range []struct{ rounds, crashes, most int }{{explore.Unbounded, 0, 200}, {explore.Unbounded, 2, 200}, {18, 0, 8}} {
		_, err := explore.CheckNodes(explore.NodesConfig{New: func(messaging.Start) messaging.Node {
			calls := 0
			return &hoarder{hoard: func(n *hoarder, _ messaging.Out) {
				if calls++; calls > c.most {
					n.Debt = 1
				}
			}}
		}, Nodes: 2, Rounds: c.rounds, Crashes: c.crashes})
		assert.Equal(t, "nondeterministic", sim.Failure(err), "%v", err)
	}
}

// Memory of a closure that becomes part of the states of several nodes is seen when they act in turn.
func TestNodesShareMemory(t *testing.T) {
	for _, rounds := range []int{explore.Unbounded, 2} {
		ink := make([]byte, 1)
		dip := func() []byte { return ink }
		_, err := explore.CheckNodes(explore.NodesConfig{New: func(start messaging.Start) messaging.Node {
			return &hoarder{hoard: func(n *hoarder, _ messaging.Out) {
				n.Ink = dip()
				n.Ink[0] = byte(1 + start.Self)
			}}
		}, Nodes: 2, Rounds: rounds})
		assert.Equal(t, "shared", sim.Failure(err), "%v", err)
	}
}

// The rule of a node within a node is asked at later times, too.
func TestNodesInvariantWithin(t *testing.T) {
	late := func(nodes []messaging.Node, _ []messaging.Event) error {
		for _, n := range nodes {
			if strings.Contains(fmt.Sprintf("%+v", n), "Time:200") {
				return errors.New("a node is late")
			}
		}
		return nil
	}
	check := func(rule messaging.Invariant) error {
		_, err := explore.CheckNodes(explore.NodesConfig{New: func(start messaging.Start) messaging.Node {
			n := layer.Around(ricartagrawala.New(start))
			return &n
		}, Nodes: 2, Rounds: explore.Unbounded, Invariant: rule})
		return err
	}
	assert.NoError(t, check(func([]messaging.Node, []messaging.Event) error { return nil }))
	assert.ErrorContains(t, check(late), "Invariant is not as it must be then: it depends on the value of a time")
}

// A node starves while times grow: the history repeats entries of the others, at later times.
func TestNodesStarvationAtAnyTime(t *testing.T) {
	timed := func(start messaging.Start) messaging.Node {
		n := &usher{start: start, partial: true, timed: true}
		if start.Self == 0 {
			n.Last = 1
		}
		return n
	}
	r, err := unbounded(timed, 3)
	require.NoError(t, err)
	assert.Equal(t, []messaging.ID{2}, r.Starving)
	assert.Equal(t, explore.Holds, r.DeadlockFree.Status)
	h := r.StarvationFree.History
	require.NotNil(t, h)
	round := strings.Join(h.Events[h.Loop:], "\n")
	assert.Contains(t, round, "S1 enters")
	assert.Contains(t, round, "S2 enters")
	assert.NotContains(t, round, "S3 enters")
	t.Log(h)
	r = checkedNodes(t, explore.NodesConfig{
		New: timed, Nodes: 2, Rounds: explore.Unbounded,
		Invariant: func(nodes []messaging.Node, transit []messaging.Event) error {
			for _, e := range transit {
				if m, admits := e.Message.(admittance); admits && m.At != nodes[0].(*usher).Last {
					return errors.New("an admission is out of date")
				}
			}
			return nil
		},
	})
	assert.NoError(t, r.Err())
}

// A tardy node begins at a late time, and enters two seconds after it requests if it has started.
type tardy struct {
	At      messaging.Time
	Started bool
}

func (n *tardy) Start(messaging.Out) { n.Started = true }

func (n *tardy) Request(out messaging.Out) {
	out.After(time.Second, admittance{n.At})
	out.After(2*time.Second, admittance{n.At + 1})
	n.At += 2
}

func (n *tardy) Receive(_ messaging.ID, m messaging.Message, out messaging.Out) {
	if n.Started && m == any(admittance{n.At - 1}) {
		out.Enter()
	}
}

func (*tardy) Release(messaging.Out) {}

// All nodes start before anything else, although times are shifted meanwhile; so are those of timers.
func TestNodesStartLate(t *testing.T) {
	r := checkedNodes(t, explore.NodesConfig{
		New:   func(start messaging.Start) messaging.Node { return &tardy{At: messaging.Time(5 * start.Self)} },
		Nodes: 2, Requests: []int{0, explore.Unbounded},
		Invariant: func(nodes []messaging.Node, _ []messaging.Event) error {
			if !nodes[0].(*tardy).Started || !nodes[1].(*tardy).Started {
				return errors.New("a node has not started")
			}
			return nil
		},
	})
	assert.NoError(t, r.Err())
}

// What goes wrong at a small time is found in a few requests, where any number stands for it by shifts.
func TestUnboundedHasExactTimes(t *testing.T) {
	r := checkedNodes(t, explore.NodesConfig{
		New: ricartagrawala.New, Nodes: 3, Rounds: explore.Unbounded,
		Invariant: func(nodes []messaging.Node, _ []messaging.Event) error {
			n := reflect.ValueOf(nodes[0]).Elem()
			if n.FieldByName("Phase").Interface() == messaging.Inside && n.FieldByName("Mine").Interface().(messaging.Stamp).Time == 3 {
				return errors.New("inside with time 3")
			}
			return nil
		},
	})
	assert.Equal(t, explore.Fails, r.Invariant.Status, "%v", r)
}
