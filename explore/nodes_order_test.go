//go:build !doorway_explore

package explore_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/clock"
	"example.org/doorway/messaging/permission/caosinghal"
	"example.org/doorway/messaging/permission/intervals"
	"example.org/doorway/messaging/permission/lamport"
	"example.org/doorway/messaging/permission/maekawa"
	"example.org/doorway/messaging/permission/quorum"
	"example.org/doorway/messaging/permission/ricartagrawala"
	"example.org/doorway/messaging/permission/roucairolcarvalho"
	"example.org/doorway/messaging/token/suzukikasami"
)

// Entries in the order of stamps: with kept permissions a node enters without asking, and an
// arbiter that is locked by a younger request need not know yet of the older one.
func TestNodesByStamp(t *testing.T) {
	system, err := quorum.New(3)
	require.NoError(t, err)
	for _, c := range []struct {
		what    string
		config  explore.NodesConfig
		history string // "": it holds
	}{
		{"ricartagrawala", explore.NodesConfig{New: ricartagrawala.New, Nodes: 3}, ""},
		{"ricartagrawala, aborted", explore.NodesConfig{New: ricartagrawala.New, Nodes: 2, Rounds: 2, Withdrawals: 2}, ""},
		{"lamport", explore.NodesConfig{New: lamport.New, Nodes: 2, Rounds: 2}, ""},
		{"roucairolcarvalho", explore.NodesConfig{New: roucairolcarvalho.New, Nodes: 2, Rounds: 2}, `not by stamp: node 0 enters without a stamp while node 1 waits with one
node 0 requests
node 1 gets Request{Of: (1, 0)} from 0
node 0 gets Reply{To: (1, 0)} from 1
node 0 is inside
node 0 leaves
node 1 requests
node 0 requests
node 0 is inside
`},
		{"maekawa", explore.NodesConfig{New: maekawa.New(system), Nodes: 3}, `not by stamp: node 1 enters while node 0 waits with a smaller stamp
node 0 requests
node 0 gets Request{Of: (1, 0)} from itself
node 0 gets Locked{To: (1, 0)} from itself
node 1 requests
node 1 gets Request{Of: (1, 1)} from itself
node 1 gets Locked{To: (1, 1)} from itself
node 2 gets Request{Of: (1, 1)} from 1
node 1 gets Locked{To: (1, 1)} from 2
node 1 is inside
`},
	} {
		r, err := explore.CheckNodes(c.config)
		require.NoError(t, err, c.what)
		orderIs(t, c.what, r.ByStamp, c.history)
		assert.Empty(t, r.Failures(), "%s: an order is no promise", c.what)
	}
	r, err := explore.CheckNodes(explore.NodesConfig{New: suzukikasami.New, Nodes: 2})
	require.NoError(t, err)
	assert.Equal(t, explore.Unknown, r.ByStamp.Status, "its requests have no stamps")
}

// Happened-before: the token can find the later request first. In the algorithm of Ricart
// and Agrawala, a reply has no time: node 0 does not learn from that of node 2 that node 1
// has requested, and its next request has a smaller stamp.
func TestNodesHappenedBefore(t *testing.T) {
	for _, c := range []struct {
		what    string
		config  explore.NodesConfig
		history string
	}{
		{"lamport", explore.NodesConfig{New: lamport.New, Nodes: 2, Rounds: 2}, ""},
		{"ricartagrawala, once", explore.NodesConfig{New: ricartagrawala.New, Nodes: 3}, ""},
		{"ricartagrawala", explore.NodesConfig{New: ricartagrawala.New, Nodes: 3, Requests: []int{2, 1, 0}}, `not in happened-before order: node 0 enters before node 1, whose request happened before its own
node 0 requests
node 1 gets Request{Of: (1, 0)} from 0
node 0 gets Reply{To: (1, 0)} from 1
node 1 requests
node 2 gets Request{Of: (2, 1)} from 1
node 2 gets Request{Of: (1, 0)} from 0
node 0 gets Reply{To: (1, 0)} from 2
node 0 is inside
node 0 leaves
node 0 requests
node 0 gets Request{Of: (2, 1)} from 1
node 1 gets Request{Of: (2, 0)} from 0
node 0 gets Reply{To: (2, 0)} from 1
node 2 gets Request{Of: (2, 0)} from 0
node 0 gets Reply{To: (2, 0)} from 2
node 0 is inside
`},
		{"suzukikasami", explore.NodesConfig{New: suzukikasami.New, Nodes: 3}, `not in happened-before order: node 2 enters before node 0, whose request happened before its own
node 1 requests
node 0 gets Request{Number: 1} from 1
node 0 requests
node 1 gets Token{LN: [0 0 0], Q: []} from 0
node 1 is inside
node 1 leaves
node 2 gets Request{Number: 1} from 0
node 2 requests
node 1 gets Request{Number: 1} from 2
node 2 gets Request{Number: 1} from 1
node 2 gets Token{LN: [0 1 0], Q: []} from 1
node 2 is inside
`},
	} {
		r, err := explore.CheckNodes(c.config)
		require.NoError(t, err, c.what)
		orderIs(t, c.what, r.HappenedBefore, c.history)
	}
}

// orderIs compares a verdict with a history; "": it holds.
func orderIs(t *testing.T, what string, v explore.NodesVerdict, history string) {
	t.Helper()
	if history == "" {
		assert.Equal(t, explore.NodesVerdict{Status: explore.Holds}, v, what)
		return
	}
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
	r, err := explore.CheckNodes(explore.NodesConfig{New: func(messaging.Start) messaging.Node { return new(chatter) }, Nodes: 2, Requests: []int{1, 0}})
	require.NoError(t, err)
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
			w := newWalk(c.config, p.Excludes(c.config.Nodes), seed)
			w.run()
			seen[0], seen[1] = seen[0] || w.byStamp, seen[1] || w.happenedBefore
		}
		assert.Equal(t, seen[0], r.ByStamp.Status == explore.Fails, "%s, by stamp", c.name)
		assert.Equal(t, seen[1], r.HappenedBefore.Status == explore.Fails, "%s, happened-before", c.name)
		assert.Equal(t, c.seen, seen, c.name)
	}
}

// A walk is a random run of nodes, which compares each entry with the requests that wait.
type walk struct {
	explore.NodesConfig
	random   *rand.Rand
	excludes func(i, j int) bool
	sites    []*messaging.Site
	links    [][]sent // by sender and receiver
	left     []int
	clocks   []clock.Vector    // of the latest event at each node
	asked    []clock.Vector    // of the requests of nodes; nil: none
	stamps   []messaging.Stamp // of these requests; zero: none

	byStamp, happenedBefore bool // the order is violated
}

type sent struct {
	message messaging.Message
	clock   clock.Vector
}

func newWalk(c explore.NodesConfig, excludes func(i, j int) bool, seed uint64) *walk {
	w := &walk{NodesConfig: c, random: rand.New(rand.NewPCG(seed, 0)), excludes: excludes, links: make([][]sent, c.Nodes*c.Nodes)}
	for i := range c.Nodes {
		w.sites = append(w.sites, messaging.NewSite(c.New, messaging.Start{Self: messaging.ID(i), Nodes: c.Nodes}, nil))
		w.left = append(w.left, c.Rounds)
		w.clocks = append(w.clocks, make(clock.Vector, c.Nodes))
	}
	w.asked, w.stamps = make([]clock.Vector, c.Nodes), make([]messaging.Stamp, c.Nodes)
	return w
}

func (w *walk) run() {
	for {
		var can []func()
		for i, s := range w.sites {
			switch {
			case s.Phase() == messaging.Idle && w.left[i] > 0:
				can = append(can, func() { w.request(i) })
			case s.Phase() == messaging.Inside:
				can = append(can, func() { w.event(i, s.Release) })
			}
		}
		for l, queue := range w.links {
			if len(queue) > 0 {
				can = append(can, func() { w.deliver(l) })
			}
		}
		if len(can) == 0 {
			return
		}
		can[w.random.IntN(len(can))]()
	}
}

func (w *walk) request(i int) {
	w.left[i]--
	w.asked[i], w.stamps[i] = nil, messaging.Stamp{}
	before := slices.Clone(w.clocks[i])
	before[i]++
	w.asked[i] = before
	w.event(i, w.sites[i].Request)
}

func (w *walk) deliver(l int) {
	k := 0
	if w.Unordered {
		k = w.random.IntN(len(w.links[l]))
	}
	m, from, to := w.links[l][k], l/w.Nodes, l%w.Nodes
	w.links[l] = slices.Delete(w.links[l], k, k+1)
	w.clocks[to].Witness(m.clock)
	w.event(to, func() { w.sites[to].Receive(messaging.ID(from), m.message) })
}

// event is one of node i.
func (w *walk) event(i int, f func()) {
	s := w.sites[i]
	was := s.Phase()
	w.clocks[i][i]++
	f()
	for _, m := range s.Sends {
		l := i*w.Nodes + int(m.To)
		w.links[l] = append(w.links[l], sent{m.Message, slices.Clone(w.clocks[i])})
		if was == messaging.Idle {
			w.stamp(i, m.Message)
		}
	}
	s.Done()
	if was != messaging.Inside && s.Phase() == messaging.Inside {
		w.enters(i)
	}
}

// stamp notes the stamp of the request of node i.
func (w *walk) stamp(i int, m messaging.Message) {
	switch m := m.(type) {
	case ricartagrawala.Request:
		w.stamps[i] = m.Of
	case lamport.Request:
		w.stamps[i] = m.Of
	case roucairolcarvalho.Request:
		w.stamps[i] = m.Of
	case maekawa.Request:
		w.stamps[i] = m.Of
	case caosinghal.Request:
		w.stamps[i] = m.Of
	case intervals.Request:
		w.stamps[i] = m.Of
	}
}

func (w *walk) enters(i int) {
	mine := w.stamps[i]
	for q, s := range w.sites {
		if q == i || s.Phase() != messaging.Waiting || w.excludes != nil && !w.excludes(i, q) {
			continue
		}
		if theirs := w.stamps[q]; !theirs.IsZero() && (mine.IsZero() || theirs.Before(mine)) {
			w.byStamp = true
		}
		if w.asked[q].Before(w.asked[i]) {
			w.happenedBefore = true
		}
	}
}
