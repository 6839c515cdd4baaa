package sim_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/node/causality"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
)

// A waker sends on its start, and a timer has it enter.
type waker struct{ mourner }

func newWaker(start messaging.Start) messaging.Node {
	return &waker{mourner{handlers{
		Start:   start,
		request: func(_ *handlers, out messaging.Out) { out.After(4*sim.T, Alarm{1}) },
		receive: func(_ *handlers, _ messaging.ID, m messaging.Message, out messaging.Out) {
			if m == (Alarm{1}) {
				out.Enter()
			}
		},
	}}}
}

func (w *waker) Start(out messaging.Out) {
	n := 2
	if w.Restarted {
		n = 3
	}
	out.Send((w.Self+1)%messaging.ID(w.Nodes), Alarm{n})
}

// A node that starts again has no timer, exit or request of its earlier life; what is sent
// to it arrives, unless it is down then.
func TestRestart(t *testing.T) {
	c := sim.Config{
		Algorithm: newWaker, Nodes: 2, Latency: sim.Constant(2 * sim.T), Detection: sim.Constant(3 * sim.T),
		Load: sim.Script{{Node: 0, At: sim.T}, {Node: 0, At: 9 * sim.T}, {Node: 0, At: 15 * sim.T}},
		Crashes: []sim.Crash{
			{Node: 0, At: tenths(15), Restart: tenths(35)},  // down when node 1 sends to it, waiting, back before it is detected
			{Node: 0, At: tenths(135), Restart: 20 * sim.T}, // inside
			{Node: 0, At: 15 * sim.T, Restart: 16 * sim.T},  // it is down already
			{Node: 1, At: 19 * sim.T},
		},
	}
	var trace strings.Builder
	c.Observe = sim.Trace(&trace)
	r := run(t, c)
	assert.Equal(t, strings.TrimLeft(`
0       S1 starts
0       S1 sends ALARM(Number:2) to S2
0       S2 starts
0       S2 sends ALARM(Number:2) to S1
1       S1 asks
1.5     S1 crashes
2       S2 gets ALARM(Number:2) from S1
2       ALARM(Number:2) from S2 to S1 is lost
3.5     S1 starts again
3.5     S1 sends ALARM(Number:3) to S2
5.5     S2 gets ALARM(Number:3) from S1
9       S1 asks
13      S1 gets ALARM(Number:1) from its timer
13      S1 enters
13.5    S1 crashes
16.5    S2 learns of the crash of S1
16.5    S2 emits S1
19      S2 crashes
20      S1 starts again
20      S1 sends ALARM(Number:3) to S2
22      ALARM(Number:3) from S1 to S2 is lost
23      S1 learns of the crash of S2
23      S1 emits S2
`, "\n"), trace.String())
	assert.Equal(t, 2, r.Requests)
	assert.Equal(t, 1, r.Entries)
	assert.Equal(t, 0, r.Response.Count)
}

// The load goes on when nodes start again.
func TestRestartUnderLoad(t *testing.T) {
	for _, load := range []sim.Load{
		sim.LowLoad{Users: ids(1)},
		sim.LowLoad{Users: ids(1, 2), Gap: sim.Constant(sim.T)},
		sim.HighLoad{Users: ids(1)},
		sim.HighLoad{Users: ids(1), Think: sim.Constant(9 * sim.T)},
	} {
		for _, perpetual := range []bool{false, true} {
			for at := range 26 {
				r, err := sim.Run(sim.Config{
					Algorithm: afterwards(sim.T), Nodes: 3, Load: load, Entries: 10, Perpetual: perpetual,
					Crashes: []sim.Crash{
						{Node: 1, At: tenths(3 * at), Restart: tenths(3*at + 2)},
						{Node: 1, At: 8 * sim.T, Restart: 400 * sim.T},
					},
				})
				require.NoError(t, err, "%+v, perpetual %v, %d", load, perpetual, at)
				assert.Equal(t, 10, r.Entries, "%+v, perpetual %v, %d", load, perpetual, at)
				if _, low := load.(sim.LowLoad); !low || len(load.(sim.LowLoad).Users) == 1 {
					assert.Greater(t, r.Time, 400*sim.T, "%+v, perpetual %v, %d", load, perpetual, at)
				}
			}
		}
	}
}

// In random runs in which nodes crash and start again, nothing of an earlier life happens.
func TestRestarts(t *testing.T) {
	restarts, forgotten := 0, 0
	for seed := range tier.Pick[uint64](60, 1000) {
		c := stepConfigs(seed)
		if c.Load == nil {
			c.Load, c.Until = sim.HighLoad{Think: sim.Exponential(sim.T)}, 60*sim.T
		}
		if seed%2 == 0 {
			c.Algorithm = newWaker
		}
		rnd := rand.New(rand.NewPCG(seed, 7))
		for range 10 {
			at := sim.T / 8 * time.Duration(rnd.IntN(200))
			c.Crashes = append(c.Crashes, sim.Crash{Node: messaging.ID(rnd.IntN(c.Nodes)), At: at, Restart: at + sim.T/8*time.Duration(1+rnd.IntN(40))})
		}
		var events []messaging.Event
		c.Observe = func(e messaging.Event) { events = append(events, e) }
		_, err := sim.Run(c)
		if sim.Failure(err) == "panic" { // a node refuses an answer to what it has forgotten
			forgotten++
		}
		require.NoError(t, causality.Check(events, err == nil && c.Until == 0 && !c.Perpetual), "seed %d", seed)
		restarts += oneLifeAtATime(t, events, c.Nodes)
	}
	assert.Greater(t, restarts, 100)
	assert.Positive(t, forgotten)
}

// oneLifeAtATime checks that nothing happens at a node that is down, or because of its
// earlier life. It returns how many nodes started again.
func oneLifeAtATime(t *testing.T, events []messaging.Event, nodes int) (restarts int) {
	t.Helper()
	born, down := make([]uint64, nodes), make([]bool, nodes)
	for _, e := range events {
		at := e.To
		switch e.Action {
		case "crashed":
			require.False(t, down[at], "%+v", e)
			down[at] = true
			continue
		case "restarted":
			require.True(t, down[at] && events[e.Cause-1].Action == "crashed", "%+v", e)
			restarts++
			born[at], down[at] = e.Number, false
		case "expired", "left", "gave up":
			require.Greater(t, e.Cause, born[at], "%+v", e)
		case "told":
			require.True(t, down[e.From], "%+v", e)
		case "sent", "duplicated", "lost":
			continue
		}
		require.False(t, down[at], "%+v", e)
	}
	return restarts
}

// A caller crashes nodes and has them start again.
func TestRestartByHand(t *testing.T) {
	r := start(t, sim.Config{Algorithm: newWaker, Nodes: 2, Crashes: []sim.Crash{{Node: 1, At: sim.T, Restart: 9 * sim.T}}})
	require.NoError(t, r.Do("a0.k0"))
	assert.ErrorContains(t, r.Do("a0"), "S1 is crashed")
	assert.ErrorContains(t, r.Do("r1"), "S2 is up; nodes that can start again now are S1 (r0)")
	require.NoError(t, r.Do("r0.a0.s3"), "until node 1 has crashed")
	pending := r.Pending()
	last := pending[len(pending)-1]
	assert.Equal(t, "restarted", last.Action)
	assert.Equal(t, 9*sim.T, last.Due)
	assert.Equal(t, "crashed", r.Events()[last.Cause-1].Action)
	require.NoError(t, r.Do("r1"), "sooner than it would by itself")
	for r.Next() {
	}
	require.NoError(t, causality.Check(r.Events(), true))
	assert.Equal(t, 2, oneLifeAtATime(t, r.Events(), 2))
	assert.Equal(t, messaging.Inside, r.Node(0).Phase)
}

// A caller has a node leave that is inside again: the exit of its earlier life is not due.
func TestLeaveAfterRestart(t *testing.T) {
	r := start(t, sim.Config{Algorithm: newWaker, Nodes: 1, Stay: sim.Constant(50 * sim.T)})
	for _, choices := range []string{"a0", "k0.r0.a0", "k0.r0.a0"} {
		require.NoError(t, r.Do(choices))
		for r.Node(0).Phase != messaging.Inside {
			require.True(t, r.Next())
		}
	}
	require.NoError(t, r.Do("l0"))
	assert.Equal(t, messaging.Idle, r.Node(0).Phase)
	assert.Equal(t, "left", r.Events()[len(r.Events())-1].Action)
}
