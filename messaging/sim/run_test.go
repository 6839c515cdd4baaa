package sim_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/election"
	"example.org/doorway/messaging/election/bully"
	"example.org/doorway/messaging/election/heartbeat"
	"example.org/doorway/messaging/permission/ricartagrawala"
	"example.org/doorway/messaging/sim"
)

type Alarm struct{ Number int }

// TestFIFO checks that links keep the order, unless Unordered is set.
func TestFIFO(t *testing.T) {
	random := sim.Uniform(0, 2*sim.T)
	numbered := of(handlers{
		request: func(h *handlers, out messaging.Out) {
			for k := range 20 {
				out.Send((h.Self+1+messaging.ID(k%min(2, h.Nodes-1)))%messaging.ID(h.Nodes), Alarm{k})
			}
			out.Enter()
		},
		receive: ignore,
	})
	for _, nodes := range []int{2, 3, 1000} {
		for _, unordered := range []bool{false, true} {
			for _, c := range []sim.Config{
				{Latency: random, Duplication: 0.2},
				{Except: []sim.Exception{{From: ids(1), Latency: random}}},
			} {
				c.Algorithm, c.Nodes, c.Unordered = numbered, nodes, unordered
				c.Load, c.Entries = sim.LowLoad{Users: ids(0, 1), Gap: sim.Constant(sim.T)}, 20
				var events []messaging.Event
				c.Observe = func(e messaging.Event) { events = append(events, e) }
				run(t, c)
				assert.Equal(t, unordered, overtakes(events), "%d nodes", nodes)
			}
		}
	}
}

// TestExcept checks that an exception is one of any of its senders and receivers.
func TestExcept(t *testing.T) {
	r, err := sim.Run(sim.Config{
		Algorithm: ricartagrawala.New, Nodes: 4, Load: sim.Script{{Node: 0}},
		Except: []sim.Exception{{From: ids(1, 2), To: ids(3, 0), Lose: true}},
	})
	assert.Equal(t, "deadlock", sim.Failure(err))
	assert.Equal(t, 2, r.Lost, "lost")
}

// TestTimers has a node enter by a timer, unless it has crashed before.
func TestTimers(t *testing.T) {
	c := sim.Config{Nodes: 1, Load: sim.Script{{Node: 0, At: sim.T}}, Algorithm: afterwards(3 * sim.T)}
	r := run(t, c)
	assert.Equal(t, 5*sim.T, r.Time, "time")
	assert.Equal(t, 1, r.Timers, "timers")
	assert.Equal(t, 0, r.Messages, "messages")
	c.Pace = []time.Duration{sim.T * 5 / 4}
	assert.Equal(t, 5*sim.T+3*sim.T/4, run(t, c).Time, "time of a slow node")
	c.Crashes = []sim.Crash{{Node: 0, At: 2 * sim.T}}
	assert.Equal(t, 0, run(t, c).Timers, "timers")
}

// TestPerpetual circulates a token and checks the known measures of a ring: one
// message per entry and a delay of T under high load.
func TestPerpetual(t *testing.T) {
	c := sim.Config{Algorithm: newRing, Nodes: 16, Load: sim.HighLoad{}, Entries: 320, Perpetual: true}
	high := run(t, c)
	assert.Equal(t, sim.T, high.SyncDelay.Longest, "longest delay")
	assert.Equal(t, sim.T, high.SyncDelay.Shortest, "shortest delay")
	assert.LessOrEqual(t, high.PerEntry, 1.0, "messages per entry")
	c.Perpetual, c.Patience, c.Entries = false, 1000*sim.T, 16
	c.Load = sim.HighLoad{}
	_, err := sim.Run(c)
	assert.Equal(t, "endless", sim.Failure(err))
	assert.ErrorContains(t, err, "Config.Perpetual")
}

// TestPerpetualPauses has a pause without requests that is longer than Patience, and
// checks that an absorbed request still ends.
func TestPerpetualPauses(t *testing.T) {
	passed := false
	run(t, sim.Config{
		Algorithm: newRing, Nodes: 16, Perpetual: true, Patience: 100 * sim.T,
		Load:    sim.Script{{Node: 0}, {Node: 15, At: 2001 * sim.T, GiveUp: 2001*sim.T + 1}},
		Observe: func(e messaging.Event) { passed = passed || e.Action == "passed" },
	})
	assert.Equal(t, true, passed, "passed")
}

// TestFailures has each kind of failure.
func TestFailures(t *testing.T) {
	script := sim.Script{{Node: 0, Stay: 3 * sim.T}, {Node: 1, At: tenths(15)}}
	send := func(h *handlers, out messaging.Out) { out.Send(1-h.Self, Alarm{7}) }
	oh := func(*handlers, messaging.Out) { panic("oh") }
	for _, tt := range []struct {
		kind, text string
		handlers
	}{
		{"exclusion", "at 1.5 T: two nodes are inside: S1 and S2", handlers{request: enter}},
		{"deadlock", "at 1.5 T: deadlock: a request is pending and no message is in transit: " +
			"S1 has been waiting since 0 T, S2 has been waiting since 1.5 T", handlers{request: wait}},
		{"endless", "at 1000.5 T: the run does not end: S1 has been waiting since 0 T, S2 has been waiting since 1.5 T", handlers{
			request: send, receive: func(_ *handlers, from messaging.ID, m messaging.Message, out messaging.Out) { out.Send(from, m) },
		}},
		{"panic", "at 0 T: S1 asks, and panics: oh", handlers{request: oh}},
		{"panic", "at 3 T: S1 leaves, and panics: oh", handlers{release: oh, request: func(h *handlers, out messaging.Out) {
			if h.Self == 0 {
				out.Enter()
			}
		}}},
		{"panic", "at 1 T: S2 refused ALARM(Number:7) from S1: no", handlers{
			request: send, receive: func(h *handlers, from messaging.ID, m messaging.Message, _ messaging.Out) {
				messaging.Refuse("test", h.Self, from, m, "no")
			},
		}},
		{"panic", "at 1 T: S1 gets ALARM(Number:7) from its timer, and panics: oh", handlers{
			request: func(_ *handlers, out messaging.Out) { out.After(sim.T, Alarm{7}) },
			receive: func(h *handlers, _ messaging.ID, _ messaging.Message, out messaging.Out) { oh(h, out) },
		}},
	} {
		_, err := sim.Run(sim.Config{Algorithm: of(tt.handlers), Nodes: 2, Load: script, Patience: 1000 * sim.T})
		assert.Equal(t, tt.kind, sim.Failure(err), tt.text)
		assert.EqualError(t, err, "sim: "+tt.text)
	}
	_, err := sim.Run(sim.Config{Algorithm: func(messaging.Start) messaging.Node { panic("oh") }, Nodes: 2, Load: script})
	assert.Equal(t, "panic", sim.Failure(err))
	assert.EqualError(t, err, "sim: at 0 T: the algorithm panicked when it was to make node 0: oh")
}

// TestPanicOfOthers checks that a panic outside the nodes passes through.
func TestPanicOfOthers(t *testing.T) {
	c := sim.Config{
		Algorithm: fair, Nodes: 2, Load: sim.LowLoad{}, Entries: 1,
		Observe: func(messaging.Event) { panic("mine") },
	}
	assert.PanicsWithValue(t, "mine", func() { _, _ = sim.Run(c) })
}

func TestConfig(t *testing.T) {
	good := func() sim.Config {
		return sim.Config{Algorithm: fair, Nodes: 3, Load: sim.LowLoad{}, Entries: 1}
	}
	run(t, good())
	run(t, sim.Config{Algorithm: fair, Nodes: 3, Load: sim.Script{}})
	for text, change := range map[string]func(c *sim.Config){
		"Config.Algorithm is nil: a run needs an algorithm": func(c *sim.Config) { c.Algorithm = nil },
		"Config.Nodes is 0: it must be 1 to 2^31-1":         func(c *sim.Config) { c.Nodes = 0 },
		"Config.Load has node 1 ask, a *sim_test.deaf: it is no Exclusion": func(c *sim.Config) {
			c.Algorithm = func(messaging.Start) messaging.Node { return new(deaf) }
			c.Load = sim.Script{{Node: 1}}
		},
		"Config.Load is nil: a run needs a workload":                             func(c *sim.Config) { c.Load = nil },
		"Config.Holder is 3: the nodes are 0 to 2":                               func(c *sim.Config) { c.Holder = 3 },
		"Config.Entries is -1: it must be at least 0":                            func(c *sim.Config) { c.Entries = -1 },
		"Config.Until is -1 T: it must be 0 to 4503599627.370496 T":              func(c *sim.Config) { c.Until = -sim.T },
		"Config.Patience is -0.000001 T: it must be 0 to 4503599627.370496 T":    func(c *sim.Config) { c.Patience = -1 },
		"Config.GiveUp is 1.5: a probability is 0 to 1":                          func(c *sim.Config) { c.GiveUp = 1.5 },
		"Config.Loss is -0.1: a probability is 0 to 1":                           func(c *sim.Config) { c.Loss = -0.1 },
		"Config.Duplication is 2: a probability is 0 to 1":                       func(c *sim.Config) { c.Duplication = 2 },
		"Config.Stay is -1 T: durations must be 0 to 4503599627.370496 T":        func(c *sim.Config) { c.Stay = sim.Constant(-sim.T) },
		"Config.Latency is 2..1 T: the first must not be larger":                 func(c *sim.Config) { c.Latency = sim.Uniform(2*sim.T, sim.T) },
		"Config.GiveUpAfter is exp(-1) T: durations must be":                     func(c *sim.Config) { c.GiveUpAfter = sim.Exponential(-sim.T) },
		"Config.Detection is -1 T: durations must be":                            func(c *sim.Config) { c.Detection = sim.Constant(-sim.T) },
		"Config.Pace is that of 2 nodes: there are 3":                            func(c *sim.Config) { c.Pace = []time.Duration{sim.T, sim.T} },
		"Config.Pace[1] is 0 T: it must be more than 0, and at most 45":          func(c *sim.Config) { c.Pace = []time.Duration{sim.T, 0, sim.T} },
		"Config.Except[0].Kind is \"Ask\": a kind is in upper case":              func(c *sim.Config) { c.Except = []sim.Exception{{Kind: "Ask"}} },
		"Config.Except[1].From[1] is 9: the nodes are 0 to 2":                    func(c *sim.Config) { c.Except = []sim.Exception{{}, {From: ids(0, 9)}} },
		"Config.Except[0].To[0] is -1: the nodes are 0 to 2":                     func(c *sim.Config) { c.Except = []sim.Exception{{To: ids(-1)}} },
		"Config.Except[0].Latency is -1 T: durations must be":                    func(c *sim.Config) { c.Except = []sim.Exception{{Latency: sim.Constant(-sim.T)}} },
		"Config.Inputs[0].Node is 3: the nodes are 0 to 2":                       func(c *sim.Config) { c.Inputs = []sim.Input{{Node: 3}} },
		"Config.Inputs[0].At is -0.000001 T: it must be":                         func(c *sim.Config) { c.Inputs = []sim.Input{{At: -1}} },
		"Config.Inputs[0].Message is <nil>: ":                                    func(c *sim.Config) { c.Inputs = []sim.Input{{}} },
		"Config.Crashes[0].Node is 3: the nodes are 0 to 2":                      func(c *sim.Config) { c.Crashes = []sim.Crash{{Node: 3}} },
		"Config.Crashes[0].At is -1 T: it must be":                               func(c *sim.Config) { c.Crashes = []sim.Crash{{At: -sim.T}} },
		"Config.Crashes[0].Restart is 3 T, and At is 3 T: Restart must be later": func(c *sim.Config) { c.Crashes = []sim.Crash{{At: 3 * sim.T, Restart: 3 * sim.T}} },
		"Config.Crashes[0].Restart is -0.000001 T: it must be":                   func(c *sim.Config) { c.Crashes = []sim.Crash{{Restart: -1}} },
		"Config.Entries and Config.Until are both 0: under load, a run needs":    func(c *sim.Config) { c.Entries = 0 },
		"LowLoad.Users[0] is 7: the nodes are 0 to 2":                            func(c *sim.Config) { c.Load = sim.LowLoad{Users: ids(7)} },
		"LowLoad.Users is empty: at least one node must ask":                     func(c *sim.Config) { c.Load = sim.LowLoad{Users: []messaging.ID{}} },
		"LowLoad.Gap is -1 T: durations must be":                                 func(c *sim.Config) { c.Load = sim.LowLoad{Gap: sim.Constant(-sim.T)} },
		"HighLoad.Users[1] is 7: the nodes are 0 to 2":                           func(c *sim.Config) { c.Load = sim.HighLoad{Users: ids(0, 7)} },
		"HighLoad.Users is [1 2 1]: a node is named twice":                       func(c *sim.Config) { c.Load = sim.HighLoad{Users: ids(1, 2, 1)} },
		"HighLoad.Think is -1 T: durations must be":                              func(c *sim.Config) { c.Load = sim.HighLoad{Think: sim.Constant(-sim.T)} },
		"Script[1].Node is 3: the nodes are 0 to 2":                              func(c *sim.Config) { c.Load = sim.Script{{}, {Node: 3}} },
		"Script[0].At is -1 T: it must be":                                       func(c *sim.Config) { c.Load = sim.Script{{At: -sim.T}} },
		"Script[0].Stay is -1 T: it must be":                                     func(c *sim.Config) { c.Load = sim.Script{{Stay: -sim.T}} },
		"Script[0].GiveUp is 1 T, and At is 1 T: GiveUp must be later than At":   func(c *sim.Config) { c.Load = sim.Script{{At: sim.T, GiveUp: sim.T}} },
	} {
		c := good()
		change(&c)
		if _, err := sim.Run(c); err == nil || !strings.HasPrefix(err.Error(), "sim: "+text) {
			t.Errorf("got %v\nwant sim: %s", err, text)
		}
	}
}

// TestAllocs checks that the simulator allocates nothing per event.
func TestAllocs(t *testing.T) {
	allocs := func(entries int) float64 {
		return testing.AllocsPerRun(3, func() {
			run(t, sim.Config{
				Algorithm: newestFirst, Nodes: 20, Load: sim.HighLoad{Think: sim.Constant(sim.T)}, Entries: entries,
				Latency: sim.Exponential(sim.T), GiveUp: 0.1,
			})
		})
	}
	if few, many := allocs(1000), allocs(11000); many > few+50 {
		t.Errorf("%v allocations for 1000 entries, %v for 11000", few, many)
	}
}

// A deaf node is no lock, and ignores what it gets.
type deaf struct{}

func (*deaf) Receive(messaging.ID, messaging.Message, messaging.Out) {}

// Without a load, nodes that are no locks are not asked to enter.
func TestNoUsers(t *testing.T) {
	r, err := sim.Run(sim.Config{Algorithm: func(messaging.Start) messaging.Node { return new(deaf) }, Nodes: 3})
	require.NoError(t, err)
	assert.Zero(t, r.Requests)
}

// Nodes that are no locks have no requests, and run until Until.
func TestPerpetualWithoutLocks(t *testing.T) {
	c := sim.Config{
		Algorithm: heartbeat.Over(bully.New(3*sim.T, 6*sim.T), heartbeat.Config{Period: 2 * sim.T, Timeout: 6 * sim.T}),
		Nodes:     3, Perpetual: true, Results: election.Results,
		Inputs: []sim.Input{{Node: 0, At: sim.T, Message: election.Hold{}}},
	}
	_, err := sim.Run(c)
	require.ErrorContains(t, err, "Config.Until is 0: a perpetual run of a *heartbeat.node, which is no Exclusion, needs an end")
	c.Until = 100 * sim.T
	r, err := sim.Run(c)
	require.NoError(t, err)
	assert.Equal(t, c.Until, r.Time)
	assert.Len(t, r.Emits, 3)

	var seen []string // what happens later, to nodes that have nothing to do until then
	_, err = sim.Run(sim.Config{
		Algorithm: func(messaging.Start) messaging.Node { return new(deaf) }, Nodes: 2, Perpetual: true, Until: 40 * sim.T,
		Crashes: []sim.Crash{{Node: 1, At: sim.T, Restart: 3 * sim.T}},
		Observe: func(e messaging.Event) { seen = append(seen, e.Action) },
	})
	require.NoError(t, err)
	assert.Equal(t, []string{"crashed", "restarted"}, seen)
}
