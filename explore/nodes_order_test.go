//go:build !doorway_explore

package explore_test

import (
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/clock"
	"example.org/doorway/messaging/permission/ricartagrawala"
	"example.org/doorway/messaging/sim"
)

// With kept permissions a node enters without asking, and an arbiter that is locked by a younger
// request need not know yet of the older one. A token can find the later request first. Which
// protocols keep an order, TestNodesOrderInRuns knows.
func TestNodesOrders(t *testing.T) {
	byStamp := func(r *explore.NodesReport) explore.NodesVerdict { return r.ByStamp }
	for _, c := range []struct {
		name          string
		nodes, rounds int
		verdict       func(r *explore.NodesReport) explore.NodesVerdict
		history       string
	}{
		{"roucairolcarvalho", 2, 2, byStamp, `not by stamp: S1 enters without a stamp while S2 waits with one
S1 asks
S2 gets REQUEST(1,S1) from S1
S1 gets REPLY(1,S1) from S2
S1 enters
S1 leaves
S2 asks
S1 asks
S1 enters
`},
		{"maekawa", 3, 1, byStamp, `not by stamp: S2 enters while S1 waits with a smaller stamp
S1 asks
S1 gets REQUEST(1,S1) from itself
S1 gets LOCKED(1,S1) from itself
S2 asks
S2 gets REQUEST(1,S2) from itself
S2 gets LOCKED(1,S2) from itself
S3 gets REQUEST(1,S2) from S2
S2 gets LOCKED(1,S2) from S3
S2 enters
`},
		{"suzukikasami", 3, 1, func(r *explore.NodesReport) explore.NodesVerdict { return r.HappenedBefore }, `not in happened-before order: S3 enters before S1, whose request happened before its own
S2 asks
S1 gets REQUEST(Number:1) from S2
S1 asks
S2 gets TOKEN(LN:[0 0 0],Q:[]) from S1
S2 enters
S2 leaves
S3 gets REQUEST(Number:1) from S1
S3 asks
S2 gets REQUEST(Number:1) from S3
S3 gets REQUEST(Number:1) from S2
S3 gets TOKEN(LN:[0 1 0],Q:[]) from S2
S3 enters
`},
	} {
		p, _ := catalog.FindProtocol(c.name)
		r, err := explore.CheckNodes(explore.NodesConfig{New: p.New(c.nodes), Nodes: c.nodes, Rounds: c.rounds})
		require.NoError(t, err, c.name)
		orderIs(t, c.name, c.verdict(r), c.history)
		assert.NoError(t, r.Err(), "%s: an order is no promise", c.name)
		assert.Equal(t, c.name == "suzukikasami", r.ByStamp.Status == explore.Unknown, "%s: only its requests have no stamps", c.name)
	}
	r := checkedNodes(t, explore.NodesConfig{New: ricartagrawala.New, Nodes: 2, Rounds: 2, Withdrawals: 2})
	assert.Equal(t, explore.Holds, r.ByStamp.Status, "with aborts")
	r = checkedNodes(t, explore.NodesConfig{New: ricartagrawala.New, Nodes: 2, Requests: []int{2, 1}, Withdrawals: 1})
	assert.Equal(t, explore.Holds, r.HappenedBefore.Status, "of nodes that withdraw")
}

// A request that was aborted and is made again is a new one, also of nodes that do not withdraw.
func TestNodesOrderOfRequestsMadeAgain(t *testing.T) {
	forerunners := func(start messaging.Start) messaging.Node { return &forerunner{start: start} }
	r := checkedNodes(t, explore.NodesConfig{New: forerunners, Nodes: 2, Requests: []int{2, 1}})
	assert.Equal(t, explore.Holds, r.FIFO.Status)
	assert.Equal(t, explore.Holds, r.HappenedBefore.Status)
	r = checkedNodes(t, explore.NodesConfig{New: forerunners, Nodes: 2, Requests: []int{2, 1}, Withdrawals: 1})
	assert.Equal(t, explore.Fails, r.FIFO.Status)
	orderIs(t, "happened-before", r.HappenedBefore, `not in happened-before order: S1 enters before S2, whose request happened before its own
S1 asks
S1 gives up
S2 gets 0 from S1
S2 asks
S1 gets 1 from S2
S1 asks
S2 gets 2 from S1
S1 gets 3 from S2
S1 enters
`)
	run, err := sim.Run(sim.Config{Algorithm: forerunners, Nodes: 2, Latency: sim.Constant(sim.T), Load: sim.Script{
		{Node: 0, GiveUp: 1}, {Node: 1, At: 2 * sim.T}, {Node: 0, At: 4 * sim.T},
	}})
	require.NoError(t, err)
	assert.Equal(t, 1, run.Bypasses, "as package sim counts")

	r = checkedNodes(t, explore.NodesConfig{
		New: func(start messaging.Start) messaging.Node { return &reborn{start: start} }, Nodes: 2, Requests: []int{2, 1}, Crashes: 1, Restarts: 1,
	})
	orderIs(t, "happened-before, after a crash", r.HappenedBefore, `not in happened-before order: S1 enters before S2, whose request happened before its own
S1 asks
S2 asks
S1 gets 1 from S2
S1 crashes
S1 starts again
S1 asks
S1 enters
`)
}

// A reborn node 0 enters once it has had a message from node 1, which requests, while it waited itself: also if it
// has crashed since and requests again.
type reborn struct {
	start messaging.Start
	Waits bool
	Heard bool `messaging:"durable"`
}

func (n *reborn) Request(out messaging.Out) {
	n.Waits = true
	if n.start.Self == 1 {
		out.Send(0, 1)
	} else if n.Heard {
		out.Enter()
	}
}

func (n *reborn) Receive(_ messaging.ID, m messaging.Message, _ messaging.Out) {
	n.Heard = n.Heard || m == 1 && n.Waits
}

func (n *reborn) Release(messaging.Out) { n.Waits = false }

// A forerunner lets node 0 enter, and then node 1, when messages have gone to and fro: once node 1 has requested
// and knows that node 0 has.
type forerunner struct {
	start messaging.Start
	Known bool
}

func (n *forerunner) Request(out messaging.Out) {
	if n.start.Self == 0 || n.Known {
		out.Send(1-n.start.Self, int(n.start.Self))
	}
}

func (n *forerunner) Release(out messaging.Out) {
	if n.start.Self == 0 {
		out.Send(1, 3)
	}
}

func (n *forerunner) Receive(_ messaging.ID, m messaging.Message, out messaging.Out) {
	switch n.Known = true; m {
	case 1, 2:
		out.Send(1-n.start.Self, m.(int)+1)
	case 3:
		out.Enter()
	}
}

// orderIs compares a verdict with a history.
func orderIs(t *testing.T, what string, v explore.NodesVerdict, history string) {
	t.Helper()
	if assert.Equal(t, explore.Fails, v.Status, what) {
		assert.Equal(t, history, v.History.String(), what)
		assert.NotEmpty(t, v.History.Scenario, what)
	}
}

// The most messages an entry are those of the papers, where they say how many.
func TestNodesMessages(t *testing.T) {
	for _, c := range []struct {
		name                             string
		nodes, rounds, messages, entries int
	}{
		{"lamport", 2, 2, 3, 1},        // 3(N-1)
		{"ricartagrawala", 3, 1, 4, 1}, // 2(N-1)
		{"maekawa", 2, 2, 15, 4},       // at most 5(K-1), K = 2: a lone entry takes 3
		{"suzukikasami", 3, 1, 3, 1},   // N, if the token is elsewhere
	} {
		p, _ := catalog.FindProtocol(c.name)
		r, err := explore.CheckNodes(explore.NodesConfig{New: p.New(c.nodes), Nodes: c.nodes, Rounds: c.rounds})
		require.NoError(t, err, c.name)
		assert.Equal(t, []int{c.messages, c.entries}, []int{r.Messages, r.Entries}, "%s, %d nodes", c.name, c.nodes)
	}
	for what, c := range map[string]explore.NodesConfig{
		"aborts":    {New: ricartagrawala.New, Nodes: 2, Withdrawals: 1},
		"crashes":   {New: ricartagrawala.New, Nodes: 2, Crashes: 1},
		"unbounded": {New: newVisitor, Nodes: 2, Rounds: explore.Unbounded},
		"perpetual": {New: newVisitor, Nodes: 2, Perpetual: true},
	} {
		r, err := explore.CheckNodes(c)
		require.NoError(t, err, what)
		assert.Equal(t, [2]int{}, [2]int{r.Messages, r.Entries}, what)
	}
	r := checkedNodes(t, explore.NodesConfig{New: func(messaging.Start) messaging.Node { return new(chatter) }, Nodes: 2, Requests: []int{1, 0}})
	assert.Equal(t, [2]int{explore.Unbounded, 0}, [2]int{r.Messages, r.Entries}, "nodes send without end")
}

// A chatter answers each message, forever, once it has requested.
type chatter struct{}

func (*chatter) Request(out messaging.Out) {
	out.Enter()
	out.Send(1, ask{})
}

func (*chatter) Release(messaging.Out) {}

func (*chatter) Receive(from messaging.ID, _ messaging.Message, out messaging.Out) {
	out.Send(from, ask{})
}

// What holds in every schedule holds in random ones, in which vector clocks say what
// happened before what; and what fails is seen in some.
func TestNodesOrderInRuns(t *testing.T) {
	for _, c := range []struct {
		name   string
		config explore.NodesConfig
		seen   [2]bool // whether orders by stamp and by happened-before are seen to fail in some run
	}{
		{"ricartagrawala", explore.NodesConfig{Nodes: 3, Rounds: 1, Unordered: true}, [2]bool{}},
		{"ricartagrawala", explore.NodesConfig{Nodes: 3, Rounds: 2}, [2]bool{false, true}},
		{"lamport", explore.NodesConfig{Nodes: 2, Rounds: 2}, [2]bool{}},
		{"roucairolcarvalho", explore.NodesConfig{Nodes: 3, Rounds: 2}, [2]bool{true, true}},
		{"maekawa", explore.NodesConfig{Nodes: 3, Rounds: 2, Unordered: true}, [2]bool{true, true}},
		{"caosinghal", explore.NodesConfig{Nodes: 3, Rounds: 1}, [2]bool{true, false}},
		{"suzukikasami", explore.NodesConfig{Nodes: 3, Rounds: 1, Unordered: true}, [2]bool{false, true}},
		{"suzukikasami", explore.NodesConfig{Nodes: 3, Rounds: 2}, [2]bool{false, true}},
		{"raymond-greedy", explore.NodesConfig{Nodes: 3, Rounds: 2}, [2]bool{false, true}},
		{"raymond", explore.NodesConfig{Nodes: 3, Rounds: 1}, [2]bool{}},
		{"raymond", explore.NodesConfig{Nodes: 3, Rounds: 2}, [2]bool{false, true}},
		{"raymond-merged", explore.NodesConfig{Nodes: 3, Rounds: 2}, [2]bool{}},
		{"naimitrehel", explore.NodesConfig{Nodes: 3, Rounds: 2}, [2]bool{}},
		{"intervals", explore.NodesConfig{Nodes: 3, Rounds: 1}, [2]bool{}},
	} {
		p, _ := catalog.FindProtocol(c.name)
		c.config.New = p.New(c.config.Nodes)
		r, err := explore.CheckNodes(c.config)
		require.NoError(t, err, c.name)
		var seen [2]bool
		for seed := range uint64(tier.Fewer(tier.Pick(600, 20_000))) {
			byStamp, happenedBefore := ordersInRun(t, c.config, p.Excludes(c.config.Nodes), seed)
			seen[0], seen[1] = seen[0] || byStamp, seen[1] || happenedBefore
		}
		assert.Equal(t, seen[0], r.ByStamp.Status == explore.Fails, "%s, by stamp", c.name)
		assert.Equal(t, seen[1], r.HappenedBefore.Status == explore.Fails, "%s, happened-before", c.name)
		assert.Equal(t, c.seen, seen, c.name)
	}
}

// ordersInRun reports whether in a random run a node enters while another waits that it excludes,
// whose stamp is smaller, or whose request happened before its own.
func ordersInRun(t *testing.T, c explore.NodesConfig, excludes func(i, j int) bool, seed uint64) (byStamp, happenedBefore bool) {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 0))
	var script sim.Script
	for i := range c.Nodes * c.Rounds {
		script = append(script, sim.Request{Node: messaging.ID(i % c.Nodes), At: time.Duration(random.Int64N(int64(8 * sim.T)))})
	}
	var events []messaging.Event
	_, err := sim.Run(sim.Config{
		Algorithm: c.New, Nodes: c.Nodes, Load: script, Seed: seed, Stay: sim.Exponential(sim.T), Latency: sim.Exponential(3 * sim.T),
		Unordered: c.Unordered, Observe: func(e messaging.Event) { events = append(events, e) },
	})
	require.NoError(t, err)
	at := clock.Vectors(c.Nodes, events)
	asked := make([]int, c.Nodes) // the number of the request that waits; 0: none
	stamps := make([]messaging.Stamp, c.Nodes)
	for _, e := range events {
		i := int(e.From)
		switch e.Action {
		case "requested":
			asked[i], stamps[i] = int(e.Number), messaging.Stamp{}
		case "sent":
			if of := reflect.ValueOf(e.Message).FieldByName("Of"); int(e.Cause) == asked[i] && of.IsValid() {
				stamps[i] = of.Interface().(messaging.Stamp)
			}
		case "entered":
			for q := range asked {
				if q == i || asked[q] == 0 || excludes != nil && !excludes(i, q) {
					continue
				}
				byStamp = byStamp || !stamps[q].IsZero() && (stamps[i].IsZero() || stamps[q].Before(stamps[i]))
				happenedBefore = happenedBefore || at[asked[q]-1].Before(at[asked[i]-1])
			}
			asked[i] = 0
		}
	}
	return byStamp, happenedBefore
}
