package heartbeat

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/node/host"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/election"
	"example.org/doorway/messaging/election/bully"
	"example.org/doorway/messaging/link"
	"example.org/doorway/messaging/permission/central"
	"example.org/doorway/messaging/sim"
)

// The times of the tests, for messages that take T at most.
const (
	answer  = 3 * sim.T
	period  = 2 * sim.T
	timeout = 6 * sim.T
)

var beating = Over(bully.New(answer, 6*sim.T), Config{Period: period, Timeout: timeout})

// outcome is what nodes have emitted in a run after which nothing is left to elect.
func outcome(nodes int, r sim.Report, down messaging.Set) messaging.Outcome {
	o := messaging.Outcome{Emitted: make([][]any, nodes), Down: down, Over: true}
	for _, e := range r.Emits {
		o.Emitted[e.From] = append(o.Emitted[e.From], e.Message)
	}
	return o
}

// No user holds an election: the nodes notice that there is no leader. As long as that one lives,
// there is no second one, and N-1 messages a period.
func TestQuiet(t *testing.T) {
	for n := 1; n <= 6; n++ {
		r, err := sim.Run(sim.Config{
			Algorithm: beating, Nodes: n, Until: 1000 * sim.T,
			Latency: sim.Uniform(0, sim.T), Unordered: true, Results: election.OneAtATime,
		})
		require.NoError(t, err)
		require.Len(t, r.Emits, n, "%d nodes", n)
		require.NoError(t, election.OneAtATime(outcome(n, r, nil)))
		assert.InDelta(t, (n-1)*1000/2, r.Kinds["BEAT"], float64(10*n), "%d nodes", n)
	}
}

// A leader crashes, and the others have elected another within the timeout, a period, what a message
// takes, and an election: T for the Coordinator and the timeout for an answer of the leader
// that has crashed.
func TestSuccession(t *testing.T) {
	const most = timeout + period + sim.T + answer + sim.T
	sum, longest, runs := time.Duration(0), time.Duration(0), 0
	for n := 2; n <= 7; n++ {
		for seed := range uint64(50) {
			at := 50*sim.T + time.Duration(seed)*sim.T/7
			r, err := sim.Run(sim.Config{
				Algorithm: beating, Nodes: n, Until: at + 2*most, Seed: seed, Unordered: true,
				Latency: sim.Uniform(0, sim.T), Results: election.OneAtATime,
				Crashes: []sim.Crash{{Node: messaging.ID(n - 1), At: at}},
			})
			require.NoError(t, err)
			require.NoError(t, election.OneAtATime(outcome(n, r, messaging.SetOf(messaging.ID(n-1)))), "%d nodes, seed %d", n, seed)
			require.Len(t, r.Emits, n+n-1, "%d nodes, seed %d: each learns of each leader once", n, seed)
			last := r.Emits[len(r.Emits)-1]
			assert.Equal(t, messaging.ID(n-2), last.Message.(election.Elected).Leader)
			took := last.At - at
			sum, longest, runs = sum+took, max(longest, took), runs+1
		}
	}
	assert.LessOrEqual(t, longest, most)
	assert.Greater(t, longest, timeout, "a leader is never suspected before")
	t.Logf("a leader is succeeded after %.2f T on average, and %.2f T at most, of %.0f T", float64(sum)/float64(runs)/float64(sim.T),
		float64(longest)/float64(sim.T), float64(most)/float64(sim.T))
}

// Over the link, messages may be lost: they only take longer. There is one leader all the
// same, which is succeeded when it crashes.
func TestOverLink(t *testing.T) {
	patient := Over(bully.New(200*sim.T, 400*sim.T), Config{Period: 40 * sim.T, Timeout: 400 * sim.T})
	for seed := range uint64(tier.Pick(5, 20)) {
		r, err := sim.Run(sim.Config{
			Algorithm: link.Over(patient, link.Config{Timeout: 4 * sim.T}), Nodes: 4, Until: 4000 * sim.T, Seed: seed,
			Loss: 0.2, Duplication: 0.1, Unordered: true, Latency: sim.Exponential(sim.T), Results: election.Results,
			Crashes: []sim.Crash{{Node: 3, At: 1500 * sim.T}},
		})
		require.NoError(t, err, "seed %d", seed)
		require.NoError(t, election.Results(outcome(4, r, messaging.SetOf(3))), "seed %d", seed)
	}
}

// A deaf node never elects anybody, but says when it is to. If it is eager, it leads from the start.
type deaf struct{ start messaging.Start }

func (n *deaf) Receive(_ messaging.ID, m messaging.Message, out messaging.Out) { out.Emit(m) }

type eager struct{ deaf }

func (n *eager) Start(out messaging.Out) {
	out.Emit(election.Elected{Leader: n.start.Self, Term: 1})
}

// A node holds an election after each timeout without a leader, whether or not the algorithm acts
// when it starts.
func TestHoldsAgain(t *testing.T) {
	a := Over(func(start messaging.Start) messaging.Node { return &deaf{start} }, Config{Period: 1, Timeout: 3})
	site := host.NewSite(a, messaging.Start{Nodes: 2}, nil)
	require.True(t, site.Start())
	for k := 1; k <= 12; k++ {
		site.Done()
		site.Receive(0, tick{})
		if k%4 == 0 {
			assert.Equal(t, []any{election.Hold{}}, site.Emits, "timer %d", k)
		} else {
			assert.Empty(t, site.Emits, "timer %d", k)
		}
	}
}

// A node may lead as soon as it starts.
func TestLeadsAtOnce(t *testing.T) {
	a := Over(func(start messaging.Start) messaging.Node { return &eager{deaf{start}} }, Config{Period: 1, Timeout: 3})
	site := host.NewSite(a, messaging.Start{Nodes: 2}, nil)
	site.Start()
	site.Done()
	site.Receive(0, tick{})
	assert.Equal(t, []host.Send{{To: 1, Message: beat{Term: 1}}}, site.Sends)
}

// The timeout counts in whole periods, rounded up, however long they are.
func TestRounded(t *testing.T) {
	const longest = time.Duration(math.MaxInt64)
	for _, test := range []struct {
		c     Config
		ticks int // the first at which a node holds an election
	}{
		{Config{Period: 2, Timeout: 3}, 3},
		{Config{Period: 2, Timeout: 4}, 3},
		{Config{Period: 2, Timeout: 5}, 4},
		{Config{Period: longest - 1, Timeout: longest}, 3},
	} {
		site := host.NewSite(Over(bully.New(1, 2), test.c), messaging.Start{Nodes: 2}, nil)
		site.Start()
		ticks := 0
		for len(site.Sends) == 0 {
			ticks++
			site.Receive(0, tick{})
		}
		assert.Equal(t, test.ticks, ticks, "%+v", test.c)
	}
}

// The invariant of the algorithm is held for its nodes and its messages.
func TestInvariant(t *testing.T) {
	p := bully.Protocol
	beats := Config{Period: time.Second, Timeout: 3 * time.Second}
	assert.Nil(t, Of(p, beats).Invariant)
	var held []messaging.Node
	var own []messaging.Event
	p.Invariant = func(nodes []messaging.Node, transit []messaging.Event) error {
		held, own = nodes, transit
		return nil
	}
	n, elects := beating(messaging.Start{Nodes: 2}), messaging.Event{Message: bully.Answer{}}
	assert.NoError(t, Of(p, beats).Invariant([]messaging.Node{n, nil}, []messaging.Event{{Message: beat{}}, elects}))
	assert.Equal(t, []messaging.Node{n.(interface{ Nested() messaging.Node }).Nested(), nil}, held)
	assert.Equal(t, []messaging.Event{elects}, own)
}

func TestMisuse(t *testing.T) {
	fine := Config{Period: 1, Timeout: 2}
	for message, f := range map[string]func(){
		"heartbeat: heartbeats of an algorithm that is nil":                                                                func() { Over(nil, fine) },
		"heartbeat: a period of 0s and a timeout of 2ns: want 0 < period < timeout, and at most a million periods":         func() { Over(beating, Config{Timeout: 2}) },
		"heartbeat: a period of 2ns and a timeout of 2ns: want 0 < period < timeout, and at most a million periods":        func() { Of(bully.Protocol, Config{Period: 2, Timeout: 2}) },
		"heartbeat: a period of 1ns and a timeout of 2.097152ms: want 0 < period < timeout, and at most a million periods": func() { Over(beating, Config{Period: 1, Timeout: 1 << 21}) },
		"heartbeat: a *central.node is a lock: only leaders have heartbeats":                                               func() { Over(central.New, fine)(messaging.Start{Nodes: 1}) },
		"heartbeat: heartbeats of nodes that have them already":                                                            func() { Over(beating, fine)(messaging.Start{Nodes: 1}) },
	} {
		assert.PanicsWithValue(t, message, f)
	}
	none := func(messaging.Start) messaging.Node { return nil }
	assert.Nil(t, Over(none, fine)(messaging.Start{Nodes: 1}))
	_, err := Of(messaging.Protocol{Name: "none"}, fine).New(1)
	require.EqualError(t, err, `heartbeat: the protocol "none" makes no algorithm: its New is nil`)
	_, err = Of(messaging.Protocol{New: func(int) (messaging.Algorithm, error) { return nil, errors.New("none") }}, fine).New(1)
	require.EqualError(t, err, "heartbeat: none")
}

// If timers may expire before messages arrive, a live leader is suspected, and two lead at the same
// time, in different terms. So do the successor of a leader and that leader when it starts again.
func TestWhatOneLeaderNeeds(t *testing.T) {
	seconds := Over(bully.New(time.Second, 2*time.Second), Config{Period: time.Second, Timeout: 2 * time.Second})
	for _, c := range []explore.NodesConfig{{AnyTime: true}, {Crashes: 1, Restarts: 1}} {
		c.New, c.Nodes, c.Perpetual, c.Results = seconds, 2, true, election.OneAtATime
		r, err := explore.CheckNodes(c)
		require.NoError(t, err)
		require.NotNil(t, r.Results.History)
		assert.Equal(t, "the results are wrong: S1 and S2 lead at the same time", r.Results.History.Title)
	}
}
