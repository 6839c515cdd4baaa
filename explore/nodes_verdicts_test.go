//go:build !doorway_explore

package explore_test

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/lamport"
	"example.org/doorway/messaging/permission/ricartagrawala"
	"example.org/doorway/messaging/token/raymond"
	"example.org/doorway/messaging/token/suzukikasami"
	"example.org/doorway/messaging/token/tokenring"
	"example.org/doorway/messaging/topology"
)

// An usher is a coordinator, node 0, and its clients. It admits them in the order in which
// their messages arrive; a partial one admits the node with the smallest number first. Its
// states do not grow, unless it tells the time.
type usher struct {
	start   messaging.Start
	partial bool
	mute    bool // it does not tell that it has left
	timed   bool // each admission has a later time

	Queue []messaging.ID
	Busy  bool
	Last  messaging.Time
}

type (
	asking     struct{}
	admitted   struct{}
	admittance struct{ At messaging.Time }
	leaving    struct{}
)

func (n *usher) Request(out messaging.Out) {
	if n.start.Self != 0 {
		out.Send(0, asking{})
		return
	}
	n.Queue = append(n.Queue, 0)
	n.admit(out)
}

func (n *usher) Release(out messaging.Out) {
	switch {
	case n.start.Self == 0:
		n.Busy = false
		n.admit(out)
	case !n.mute:
		out.Send(0, leaving{})
	}
}

func (n *usher) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	switch m.(type) {
	case admitted, admittance:
		out.Enter()
		return
	case asking:
		n.Queue = append(n.Queue, from)
	case leaving:
		n.Busy = false
	}
	n.admit(out)
}

func (n *usher) admit(out messaging.Out) {
	if n.Busy || len(n.Queue) == 0 {
		return
	}
	at := 0
	if n.partial {
		at = slices.Index(n.Queue, slices.Min(n.Queue))
	}
	next := n.Queue[at]
	n.Queue, n.Busy = slices.Delete(n.Queue, at, at+1), true
	if n.timed {
		n.Last++
	}
	switch {
	case next == 0:
		out.Enter()
	case n.timed:
		out.Send(next, admittance{n.Last})
	default:
		out.Send(next, admitted{})
	}
}

func ushers(partial, mute bool) messaging.Algorithm {
	return func(start messaging.Start) messaging.Node {
		return &usher{start: start, partial: partial, mute: mute}
	}
}

// checkedNodes returns the report on nodes that can be checked.
func checkedNodes(t *testing.T, c explore.NodesConfig) *explore.NodesReport {
	t.Helper()
	r, err := explore.CheckNodes(c)
	require.NoError(t, err)
	return r
}

// Whoever is passed over forever starves: that shows only if users request any number of
// times. The history repeats entries of others, and the one that starves waits on.
func TestNodesStarvation(t *testing.T) {
	check := func(partial bool, nodes, rounds int) *explore.NodesReport {
		r := checkedNodes(t, explore.NodesConfig{New: ushers(partial, false), Nodes: nodes, Rounds: rounds})
		assert.Equal(t, explore.Holds, r.MutualExclusion.Status)
		assert.Equal(t, explore.Holds, r.DeadlockFree.Status)
		assert.Equal(t, explore.Holds, r.Quiescent.Status)
		assert.Equal(t, explore.Fails, r.FIFO.Status)
		return r
	}
	for nodes := 2; nodes <= tier.Pick(2, 3); nodes++ {
		r := check(false, nodes, explore.Unbounded)
		assert.NoError(t, r.Err())
		assert.Equal(t, explore.Unbounded, r.Bypasses, "a request may be in transit for any time")
		assert.Equal(t, 2, check(false, nodes, 2).Bypasses)
	}
	assert.Equal(t, explore.Holds, check(true, 2, explore.Unbounded).StarvationFree.Status, "there is no node that the coordinator prefers")
	assert.Equal(t, explore.NodesVerdict{
		Status: explore.Undecided, Note: "in every run of at most 3 requests a node, others enter at most 6 times while one waits",
	}, check(true, 3, 3).StarvationFree, "the others do not request forever")

	r := check(true, 3, explore.Unbounded)
	require.Equal(t, explore.Fails, r.StarvationFree.Status)
	assert.Equal(t, []messaging.ID{2}, r.Starving)
	h := r.StarvationFree.History
	assert.Equal(t, "S3 starves", h.Title)
	assert.Contains(t, h.String(), "and from here on, forever:\n")
	before, round := strings.Join(h.Events[:h.Loop], "\n"), strings.Join(h.Events[h.Loop:], "\n")
	assert.Equal(t, strings.Count(before, "S3 asks"), strings.Count(before, "S3 enters")+1, "it waits")
	assert.NotContains(t, round, "S3 enters")
	assert.Contains(t, round, "enters")
	assert.ErrorContains(t, r.Err(), "explore: starvation-free fails, in "+strconv.Itoa(h.Length)+" events\n"+h.String()+"repeat it: ")

	c := explore.NodesConfig{New: ushers(true, false), Nodes: 3, Requests: []int{2, 0, explore.Unbounded}}
	r = checkedNodes(t, c)
	assert.Equal(t, explore.NodesVerdict{
		Status: explore.Undecided, Note: "in every run in which the nodes request at most 2, 0 and any number of times, others enter at most 2 times while one waits",
	}, r.StarvationFree)
	assert.Equal(t, "in every run in which the nodes request at most 2, 0 and any number of times", r.DeadlockFree.Note)
	c.UnboundedWithin = 1 << 20
	r = checkedNodes(t, c)
	assert.Equal(t, h, r.StarvationFree.History)
	assert.Equal(t, "in every run", r.DeadlockFree.Note)
	assert.Equal(t, []int{explore.Unbounded, explore.Unbounded, explore.Unbounded}, r.Requests)
}

// Where any number of requests cannot be explored, those of the config are, and the note says why.
func TestNodesUnclosed(t *testing.T) {
	at := func(k messaging.Clock) messaging.Algorithm {
		return quirks(func(n *quirk) bool { return n.start.Self == 0 && n.Clock == k })
	}
	for _, c := range []struct {
		a      messaging.Algorithm
		within int64
		why    string
	}{
		{suzukikasami.New, 8 << 20, "states grow with the requests: the field RN[] of a node reaches 257"},
		{suzukikasami.New, 1000, "1 state exceeds the memory limit of less than 1 KiB"},
		{at(20), 8 << 20, "what nodes do, or what the invariant says, depends on the value of a time"},
	} {
		r := checkedNodes(t, explore.NodesConfig{New: c.a, Nodes: 2, Rounds: 1, UnboundedWithin: c.within})
		assert.Equal(t, []int{1, 1}, r.Requests)
		assert.Equal(t, explore.Undecided, r.StarvationFree.Status)
		assert.Contains(t, r.StarvationFree.Note,
			"in every run of at most 1 request a node, others enter at most once while one waits; any number of requests was not explored: "+c.why)
		assert.Contains(t, r.String(), "  starvation-free                               not decided: in every run of at most 1 request")
	}
	_, err := explore.CheckNodes(explore.NodesConfig{New: at(4), Nodes: 3, Rounds: explore.Unbounded})
	require.ErrorContains(t, err, "S1 is not as it must be then: it depends on the value of a time")
	_, err = explore.CheckNodes(explore.NodesConfig{New: suzukikasami.New, Nodes: 2, Memory: 1000, UnboundedWithin: 8 << 20})
	require.ErrorIs(t, err, explore.ErrMemory)
	loud := func(n *clumsy, out messaging.Out) {
		for j := range n.start.Others() {
			out.Send(j, asking{})
		}
	}
	r := checkedNodes(t, explore.NodesConfig{
		New:   func(start messaging.Start) messaging.Node { return &clumsy{start: start, request: loud} },
		Nodes: 31, Requests: make([]int, 31), UnboundedWithin: 8 << 20,
	})
	assert.Equal(t, 1, r.States, "more requests would take too many words")
}

// If no node ever tells that it has left, all wait forever: a deadlock, in the fewest events.
func TestNodesDeadlock(t *testing.T) {
	r := checkedNodes(t, explore.NodesConfig{New: ushers(false, true), Nodes: 2, Rounds: explore.Unbounded})
	require.Equal(t, explore.Fails, r.DeadlockFree.Status)
	assert.Equal(t, []messaging.ID{0, 1}, r.Starving)
	assert.Equal(t, r.DeadlockFree.History, r.StarvationFree.History)
	assert.Equal(t, 5, r.DeadlockFree.History.Length, "S2 asks, asks, is admitted and leaves; S1 asks")
}

// What is lost or doubled is never found again, or not noticed.
func TestNodesLinks(t *testing.T) {
	c := explore.NodesConfig{New: ushers(false, false), Nodes: 2}
	lost, doubled := c, c
	lost.Losses, doubled.Duplicates = 1, 1
	r := checkedNodes(t, lost)
	assert.Equal(t, explore.Holds, r.MutualExclusion.Status)
	require.Equal(t, explore.Fails, r.DeadlockFree.Status)
	assert.Equal(t, 2, r.DeadlockFree.History.Length, "a request that is lost")
	assert.NotEmpty(t, r.DeadlockFree.History.Scenario)

	r = checkedNodes(t, doubled)
	assert.Equal(t, "S2 enters, but it is inside: a node enters once per request", r.NoPanic.History.Title, "by the second permission")

	lost.New, lost.Requests = hoarders(func(_ *hoarder, out messaging.Out) { out.Send(1, 1); out.Send(1, 2) }), []int{1, 0}
	r = checkedNodes(t, lost)
	assert.Equal(t, 1+2*(3+3), r.States, "before it requests; inside and after; both are to come, the second, none; and with one lost, any")
}

// The report does not depend on the number of workers, and is the same each time.
func TestNodesWorkers(t *testing.T) {
	for name, c := range map[string]explore.NodesConfig{
		"lamport":        {New: lamport.New, Nodes: 2, Rounds: tier.Pick(2, 3)},
		"ricartagrawala": {New: ricartagrawala.New, Nodes: tier.Pick(2, 3), Withdrawals: 1, Unordered: true},
		"tokenring":      {New: tokenring.New(1), Nodes: 3, Rounds: explore.Unbounded, Perpetual: true},
		"partial":        {New: ushers(true, false), Nodes: 3, Rounds: explore.Unbounded},
	} {
		c.Workers = 1
		one, err := explore.CheckNodes(c)
		require.NoError(t, err, name)
		for range tier.Pick(1, 3) {
			c.Workers = 2
			two, err := explore.CheckNodes(c)
			require.NoError(t, err, name)
			require.Equal(t, one, two, name)
		}
	}
}

// A memory limit is an error; but a deadlock that was found before is a verdict.
func TestNodesMemory(t *testing.T) {
	c := explore.NodesConfig{New: ricartagrawala.New, Nodes: 3, Rounds: 3, Memory: 1 << 20}
	_, err := explore.CheckNodes(c)
	require.ErrorIs(t, err, explore.ErrMemory)
	assert.ErrorContains(t, err, "exceed the memory limit of 1 MiB")
	draws := explore.NodesConfig{Nodes: 2, Memory: 4 << 20, New: func(messaging.Start) messaging.Node { return &drawer{} }}
	_, err = explore.CheckNodes(draws)
	require.ErrorIs(t, err, explore.ErrMemory, "what can happen in a state counts, too")
	assert.ErrorContains(t, err, ": 1 state exceeds the memory limit of 4 MiB")
	for says, hoard := range map[string]func(out messaging.Out){
		`states exceed the memory limit of 1 MiB, and in one of them [1-9]\d+ timers of node 0 run$`:                           func(out messaging.Out) { out.After(time.Second, asking{}) },
		`states exceed the memory limit of 1 MiB, and in one of them [1-9]\d+ messages are in transit from node [01] to [01]$`: func(out messaging.Out) { out.Send(1, asking{}) },
	} {
		_, err := explore.CheckNodes(explore.NodesConfig{
			New: hoarders(func(_ *hoarder, out messaging.Out) { hoard(out) }), Nodes: 2, Rounds: 1000, AnyTime: true, Memory: 1 << 20,
		})
		assert.Regexp(t, says, err)
	}

	c.Nodes, c.Rounds, c.Losses, c.Memory = 4, explore.Unbounded, 1, 4<<20
	r := checkedNodes(t, c)
	assert.Equal(t, explore.Fails, r.DeadlockFree.Status)
	assert.Equal(t, explore.Unknown, r.MutualExclusion.Status, "not all states were visited")
	assert.Regexp(t, "^explore: deadlock-free fails, in (?s:.*)\nnot checked: mutual exclusion\nrepeat it: "+
		"doorway check example.org/doorway/messaging/permission/ricartagrawala.New -n 4 -rounds unbounded -losses 1\nscenario: ", r.Err())
}

// A report has an error if a promise is broken or was not looked at, or what is wanted besides.
func TestNodesErr(t *testing.T) {
	var none *explore.NodesReport
	assert.EqualError(t, none.Err(), "explore: there is no report: the check returned an error")
	assert.EqualError(t, new(explore.NodesReport).Err(), "explore: not checked: mutual exclusion, deadlock-free and starvation-free")
	assert.EqualError(t, new(explore.SystemReport).Err(), "explore: not checked: deadlock-free")

	c := explore.NodesConfig{New: ushers(false, false), Nodes: 2, Requests: []int{1, explore.Unbounded}}
	r := checkedNodes(t, c)
	assert.NoError(t, r.Err(explore.Properties{MutualExclusion: true}, explore.Properties{DeadlockFree: true}))
	assert.ErrorContains(t, r.Err(explore.Properties{StarvationFree: true}), "explore: not checked: starvation-free (in every run in which the nodes request at most 1 and any number of times, others enter at most once while one waits)\n")
	assert.ErrorContains(t, r.Err(explore.Properties{FIFO: true}), "explore: FIFO fails, in 2 events\n")
	assert.ErrorContains(t, r.Err(explore.Properties{FIFO: true}), "\nrepeat it: doorway check example.org/doorway/explore.<constructor> -n 2 -rounds 1,unbounded")
	assert.ErrorContains(t, r.Err(explore.Properties{RaceFree: true, SafeRegisters: true}), "not checked: race-free and tolerates safe registers\n")

	c.New, c.Invariant = ushers(false, true), func([]messaging.Node, []messaging.Event) error { return nil }
	r = checkedNodes(t, c)
	assert.ErrorContains(t, r.Err(), "\nscenario: version 1; nodes 2; ")
	assert.NotContains(t, r.Err().Error(), "repeat it: ", "the command does not have the invariant")
}

// A limit of 8 MiB allows some 16 states, or messages, of 512 KiB: as they are in memory, not as they are encoded.
func TestNodesMemoryOfLargeStates(t *testing.T) {
	large := func() []int { return make([]int, 1<<22/strconv.IntSize) }
	c := explore.NodesConfig{Nodes: 2, Requests: []int{100, 0}, AnyTime: true, Memory: 8 << 20}
	c.New = hoarders(func(n *hoarder, _ messaging.Out) { n.Line, n.Debt = large(), n.Debt+1 })
	c.Invariant = func([]messaging.Node, []messaging.Event) error { return nil }
	_, err := explore.CheckNodes(c)
	require.ErrorIs(t, err, explore.ErrMemory)
	assert.Regexp(t, `: 1?\d states exceed the memory limit of 8 MiB$`, err)

	c.New, c.Invariant = hoarders(func(n *hoarder, out messaging.Out) {
		n.Debt++
		out.After(time.Second, load{append(large(), n.Debt)})
	}), nil
	_, err = explore.CheckNodes(c)
	require.ErrorIs(t, err, explore.ErrMemory)
	assert.Regexp(t, `, and in one of them 1?\d timers of node 0 run$`, err)
}

type load struct{ Cargo []int }

func (load) Kind() string { return "LOAD" }

// A drawer draws many numbers, and forgets them.
type drawer struct{ ticker }

func (n *drawer) Request(out messaging.Out) {
	if out.Choose(9000) >= 0 {
		out.Enter()
	}
}

// Raymond's algorithm is starvation-free, for any number of requests on lines of three and
// four nodes; nor does its greedy form, with any bound: a node enters once a visit.
func TestRaymondIsStarvationFree(t *testing.T) {
	for nodes := 3; nodes <= tier.Pick(3, 4); nodes++ {
		line := topology.Line(nodes)
		for k, a := range []messaging.Algorithm{
			raymond.New(line), raymond.NewGreedy(line, 1), raymond.NewGreedy(line, 3), raymond.NewLift(line, 1),
		}[:tier.Pick(2, 4)] {
			r, err := explore.CheckNodes(explore.NodesConfig{New: a, Nodes: nodes, Rounds: explore.Unbounded})
			require.NoError(t, err, "algorithm %d, %d nodes", k, nodes)
			assert.NoError(t, r.Err(), "algorithm %d, %d nodes", k, nodes)
		}
	}
}

// An heir emits its second input if it has not got the first. A parrot says two words, and emits what node 1
// hears that it should not.
type heir struct {
	First bool `messaging:"durable"`
}

func (n *heir) Receive(_ messaging.ID, m messaging.Message, out messaging.Out) {
	if n.First = n.First || m == any(asking{}); !n.First {
		out.Emit(m)
	}
}

type parrot struct {
	start messaging.Start
	wrong func(before, now int) bool
	Last  int
}

func (n *parrot) Start(out messaging.Out) {
	if n.start.Self == 0 {
		out.Send(1, 1)
		out.Send(1, 2)
	}
}

func (n *parrot) Receive(_ messaging.ID, m messaging.Message, out messaging.Out) {
	if n.wrong(n.Last, m.(int)) {
		out.Emit(m)
	}
	n.Last = m.(int)
}

// What users give a node that is down is lost, and the second of a message that arrives twice on a FIFO link
// comes anywhere behind the first.
func TestNodesWhatNetworksDo(t *testing.T) {
	quiet := func(o messaging.Outcome) error {
		if len(slices.Concat(o.Emitted...)) > 0 {
			return errors.New("wrong")
		}
		return nil
	}
	parrots := func(wrong func(before, now int) bool) messaging.Algorithm {
		return func(start messaging.Start) messaging.Node { return &parrot{start: start, wrong: wrong} }
	}
	for says, c := range map[string]explore.NodesConfig{
		"S1, which is down, loses ASKING from its user": {
			New:     func(messaging.Start) messaging.Node { return &heir{} },
			Crashes: 1, Restarts: 1, Inputs: [][]messaging.Message{{asking{}, admittance{}}, nil},
		},
		"twice\nS2 gets 1 from S1\nS2 gets 1 from S1": {New: parrots(func(before, now int) bool { return before == now }), Duplicates: 1},
		"twice\nS2 gets 1 from S1\nS2 gets 2 from S1": {New: parrots(func(before, now int) bool { return before > now }), Duplicates: 1},
	} {
		c.Nodes, c.Results = 2, quiet
		r := checkedNodes(t, c)
		require.Equal(t, explore.Fails, r.Results.Status, says)
		assert.Contains(t, r.Results.History.String(), says)
		if c.Duplicates == 0 {
			assert.NotEmpty(t, r.Results.History.Scenario, says)
		}
	}
}

// Verdicts on nodes that set timers say when these expire.
func TestNodesSayWhenTimersExpire(t *testing.T) {
	c := explore.NodesConfig{New: func(messaging.Start) messaging.Node { return &tardy{} }, Nodes: 1}
	for _, says := range []string{
		"in every run of at most 1 request a node, if time passes only while a node waits and nothing else can happen, on equal clocks",
		"in every run of at most 1 request a node, if time passes only while a node waits and nothing else can happen, on equal clocks, but for 1 early",
		"in every run of at most 1 request a node",
	} {
		r := checkedNodes(t, c)
		assert.Equal(t, says, r.MutualExclusion.Note)
		c.Early, c.AnyTime = 1-c.Early, c.Early == 1
	}
	c.Early, c.UnboundedWithin, c.New = 0, 8<<20, func(messaging.Start) messaging.Node { return &waning{Old: 1, New: 1} }
	r := checkedNodes(t, c)
	assert.Equal(t, "in every run, if only the order of times counts, and time passes only while a node waits and nothing else can happen, on equal clocks", r.MutualExclusion.Note)
}

// A waning node sets a timer at its third request, and from then on.
type waning struct {
	Old, New messaging.Time
	Requests int
}

func (n *waning) Request(out messaging.Out) {
	n.New++
	if n.Requests++; n.Requests < 3 {
		out.Enter()
		return
	}
	n.Requests = 2
	out.After(time.Second, later{})
}

func (n *waning) Receive(_ messaging.ID, _ messaging.Message, out messaging.Out) { out.Enter() }
func (*waning) Release(messaging.Out)                                            {}
