package sim_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/node/causality"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/lamport"
	"example.org/doorway/messaging/permission/ricartagrawala"
	"example.org/doorway/messaging/sim"
)

func start(t *testing.T, c sim.Config) *sim.Simulation {
	t.Helper()
	r, err := sim.Start(c)
	require.NoError(t, err)
	return r
}

func eventText(events []messaging.Event) string {
	var b strings.Builder
	trace := sim.Trace(&b)
	for _, e := range events {
		fmt.Fprintf(&b, "%d<-%d ", e.Number, e.Cause)
		trace(e)
	}
	return b.String()
}

// stepConfigs have each kind of load, and none.
func stepConfigs(seed uint64) sim.Config {
	c := sim.Config{
		Algorithm: []messaging.Algorithm{ricartagrawala.New, lamport.New, newestFirst, newRing, drawer}[seed%5],
		Nodes:     2 + int(seed%4),
		Seed:      seed,
		Latency:   []sim.Distribution{{}, sim.Uniform(0, 3*sim.T), sim.Exponential(sim.T)}[seed%3],
		Unordered: seed%5 == 2 && seed%2 == 0,
		Detection: sim.Constant(sim.T),
	}
	if seed%8 == 7 {
		c.Except = []sim.Exception{{From: ids(1), Latency: sim.Uniform(0, 5*sim.T)}}
		c.Stay, c.Detection = sim.Uniform(1, sim.T), sim.Exponential(sim.T)
	}
	switch seed / 5 % 4 {
	case 1:
		c.Load, c.Entries = sim.HighLoad{Think: sim.Uniform(0, 3*sim.T)}, 20
		c.GiveUp, c.Perpetual = 0.25, true
	case 2:
		c.Load, c.Until = sim.LowLoad{Gap: sim.Uniform(0, sim.T)}, 200*sim.T
		c.Loss, c.Duplication = 0.05, 0.05
	case 3:
		c.Load = sim.Script{{Node: 0, At: sim.T}, {Node: 1, GiveUp: 3 * sim.T}, {Node: 0, At: 2 * sim.T, Stay: 5 * sim.T, GiveUp: 4 * sim.T}}
		c.Crashes = []sim.Crash{{Node: 1, At: 40 * sim.T}}
	}
	return c
}

// A drawer sends what it draws to a random node, and then enters. It tells of crashes.
func drawer(s messaging.Start) messaging.Node {
	return &mourner{handlers{
		Start: s,
		request: func(h *handlers, out messaging.Out) {
			out.Send(messaging.ID(out.Choose(h.Nodes)), Alarm{out.Choose(3)})
			out.After(5*sim.T, Alarm{9})
		},
		receive: func(_ *handlers, _ messaging.ID, m messaging.Message, out messaging.Out) {
			if m == (Alarm{9}) {
				out.Enter()
			}
		},
	}}
}

// randomly makes random choices, of which some are impossible.
func randomly(r *sim.Simulation, rnd *rand.Rand, nodes, n int) {
	for range n {
		pending := r.Pending()
		number := func() uint64 {
			if len(pending) == 0 || rnd.IntN(10) == 0 {
				return rnd.Uint64N(100)
			}
			return pending[rnd.IntN(len(pending))].Number
		}
		switch k := rnd.IntN(40); {
		case k < 8:
			_ = r.Do(fmt.Sprintf("a%d", rnd.IntN(nodes+1)))
		case k < 12:
			_ = r.Do(fmt.Sprintf("l%d", rnd.IntN(nodes)))
		case k == 12:
			_ = r.Do(fmt.Sprintf("g%d", rnd.IntN(nodes)))
		case k == 13 && rnd.IntN(10) == 0:
			_ = r.Do(fmt.Sprintf("k%d", rnd.IntN(nodes)))
		case k == 13:
			_ = r.Do(fmt.Sprintf("r%d", rnd.IntN(nodes)))
		case k == 14 && rnd.IntN(3) == 0:
			_ = r.Do(fmt.Sprintf("x%d", number()))
		case k == 15 && rnd.IntN(3) == 0:
			_ = r.Do(fmt.Sprintf("y%d", number()))
		case k == 16:
			_ = r.Do(fmt.Sprintf("w%d+%d.5", number(), rnd.IntN(3)))
		case k == 17:
			_ = r.Do(fmt.Sprintf("c%d.d%d", rnd.IntN(3), number()))
		case k == 18:
			_ = r.Do(fmt.Sprintf("c%d.c%d.a%d", rnd.IntN(nodes+1), rnd.IntN(4), rnd.IntN(nodes)))
		case k == 19:
			_ = r.Undo(rnd.IntN(4))
		case k < 30:
			_ = r.Do(fmt.Sprintf("d%d", number()))
		default:
			r.Next()
		}
	}
}

// firstIsNext takes a step: the first of Pending is what Next lets happen.
func firstIsNext(t *testing.T, r *sim.Simulation) {
	t.Helper()
	pending, before := r.Pending(), len(r.Events())
	if !r.Next() || len(pending) == 0 {
		return
	}
	happened(t, pending[0], r.Events()[before])
}

// happened checks that an event is the one that was pending.
func happened(t *testing.T, p sim.Pending, e messaging.Event) {
	t.Helper()
	if p.Action == "delivered" && e.Action == "lost" {
		p.Action = e.Action
	}
	require.Equal(t, p.Action, e.Action)
	require.Equal(t, p.Message, e.Message)
}

// eachCanHappen makes each choice of Pending, and takes it back: only what is behind another cannot be made.
func eachCanHappen(t *testing.T, r *sim.Simulation) {
	t.Helper()
	for _, p := range r.Pending() {
		before := len(r.Events())
		err := r.Do(fmt.Sprintf("d%d", p.Number))
		require.Equal(t, p.Behind != 0, err != nil, "%+v: %v", p, err)
		if err == nil {
			require.Greater(t, len(r.Events()), before, "%+v", p)
			happened(t, p, r.Events()[before])
			require.NoError(t, r.Undo(1))
		}
	}
}

// Random choices keep what holds in every run: numbers and causes, the order of links, the
// order of Pending and its first, that each of it can happen, and that undoing all leads back.
func TestRandomChoices(t *testing.T) {
	for seed := range uint64(tier.Fewer(tier.Pick(20, 100))) {
		c := stepConfigs(seed)
		var seen []messaging.Event
		c.Observe = func(e messaging.Event) { seen = append(seen[:e.Number-1], e) }
		r := start(t, c)
		rnd := rand.New(rand.NewPCG(seed, 1))
		for range 30 {
			randomly(r, rnd, c.Nodes, 5)
			firstIsNext(t, r)
			if c.Until == 0 && (r.Err() == nil || sim.Failure(r.Err()) == "deadlock") {
				eachCanHappen(t, r)
			}
		}
		events := r.Events()
		require.NoError(t, causality.Check(events, false), "seed %d", seed)
		require.Equal(t, eventText(events), eventText(seen[:len(events)]), "seed %d", seed)
		require.True(t, c.Unordered || !overtakes(events), "seed %d", seed)
		before := eventText(events)
		pending := r.Pending()
		require.NoError(t, r.Undo(0))
		require.Equal(t, before, eventText(r.Events()), "seed %d", seed)
		require.Equal(t, pending, r.Pending(), "seed %d", seed)
		require.True(t, slices.IsSortedFunc(pending, func(a, b sim.Pending) int { return int(a.Due - b.Due) }))
		for r.Undo(1) == nil {
			require.True(t, strings.HasPrefix(before, eventText(r.Events())), "seed %d", seed)
		}
	}
}

// overtakes reports whether a message of a link is delivered before one that was sent earlier.
func overtakes(events []messaging.Event) bool {
	last := map[[2]messaging.ID]uint64{}
	for _, e := range events {
		if e.Action != "delivered" {
			continue
		}
		link := [2]messaging.ID{e.From, e.To}
		if e.Cause <= last[link] {
			return true
		}
		last[link] = e.Cause
	}
	return false
}

// Run is Start and Next.
func TestRunIsNext(t *testing.T) {
	for seed := range uint64(tier.Fewer(tier.Pick(40, 200))) {
		c := stepConfigs(seed)
		if c.Load == nil {
			continue
		}
		var seen []messaging.Event
		c.Observe = func(e messaging.Event) { seen = append(seen, e) }
		report, err := sim.Run(c)
		c.Observe = nil
		r := start(t, c)
		for k := 0; r.Next(); k++ {
			require.Greater(t, len(r.Events()), k)
		}
		require.Equal(t, err, r.Err(), "seed %d", seed)
		require.Equal(t, eventText(seen), eventText(r.Events()), "seed %d", seed)
		require.Equal(t, report, r.Report(), "seed %d", seed)
	}
}

// A message that is late by 0 is still in front of the others of its link.
func TestDelayKeepsOrder(t *testing.T) {
	twice := of(handlers{
		request: func(_ *handlers, out messaging.Out) {
			out.Send(1, Alarm{1})
			out.Send(1, Alarm{2})
		},
		receive: ignore,
	})
	r := start(t, sim.Config{Algorithm: twice, Nodes: 2})
	require.NoError(t, r.Do("a0.w1+0.s2"))
	assert.False(t, overtakes(r.Events()))
	assert.Equal(t, Alarm{2}, r.Events()[len(r.Events())-1].Message)
}

// The copy of a copy is one of the message that was sent.
func TestDuplicateTwice(t *testing.T) {
	r := start(t, sim.Config{Algorithm: ricartagrawala.New, Nodes: 2})
	require.NoError(t, r.Do("a0.y1.y2"))
	require.NoError(t, causality.Check(r.Events(), false))
	assert.Len(t, r.Pending(), 3)
	assert.Equal(t, 2, r.Report().Duplicated)
}

// A request of the load that is due while one of the caller is not over is made after that.
func TestRequestsOfBoth(t *testing.T) {
	first := of(handlers{
		request: func(h *handlers, out messaging.Out) {
			if h.Self == 0 {
				out.Enter()
			}
		},
		receive: ignore,
	})
	r := start(t, sim.Config{Algorithm: first, Nodes: 2, Load: sim.LowLoad{}, Entries: 10, Perpetual: true})
	require.NoError(t, r.Do("a1"))
	for r.Next() { // node 0 asks and leaves, and then it is the turn of node 1
	}
	assert.Equal(t, 2, r.Report().Requests)
	require.NoError(t, r.Do("g1.s1"))
	assert.Equal(t, 3, r.Report().Requests)
	assert.Equal(t, messaging.Waiting, r.Node(1).Phase)
}

// A choice that would have no effect is refused, though the load has scheduled the same: or
// it is made, if only what is scheduled would have none.
func TestAsksOfLoad(t *testing.T) {
	c := sim.Config{Algorithm: ricartagrawala.New, Nodes: 2, Load: sim.HighLoad{}, Entries: 1}
	r, err := sim.Start(c)
	require.NoError(t, err)
	assert.ErrorContains(t, r.Do("a0.a1"), "all requests have been made that Config.Entries, 1, allows")
	assert.Equal(t, messaging.Idle, r.Node(1).Phase)

	c = sim.Config{Algorithm: ricartagrawala.New, Nodes: 2, Load: sim.Script{{Node: 0, At: sim.T, GiveUp: 2 * sim.T}, {Node: 1, At: 3 * sim.T}}}
	r, err = sim.Start(c)
	require.NoError(t, err)
	require.NoError(t, r.Do("w1+5.s1.a0"))
	assert.Equal(t, messaging.Waiting, r.Node(0).Phase)
}
