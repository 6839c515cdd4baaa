package berkeley

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/node/host"
	"example.org/doorway/internal/node/physical"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/clock"
	"example.org/doorway/messaging/sim"
)

const (
	T      = sim.T
	minute = time.Minute
	hour   = time.Hour
)

var config = Config{Tick: T / 2, Every: 200, Wait: 40, Apart: hour}

// adjusted runs a round in which the clocks are set to these times, and returns by how much each is
// adjusted, by node. A message takes 1.2 T, in which each clock ticks twice.
func adjusted(t *testing.T, a messaging.Algorithm, crashes []sim.Crash, times ...time.Duration) map[messaging.ID]time.Duration {
	t.Helper()
	c := sim.Config{Algorithm: a, Nodes: len(times), Latency: sim.Constant(6 * T / 5), Crashes: crashes, Until: 50 * T, Results: clock.Results}
	for i, at := range times {
		c.Inputs = append(c.Inputs, sim.Input{Node: messaging.ID(i), Message: clock.Set{Time: at}})
	}
	r, err := sim.Run(c)
	require.NoError(t, err)
	by := map[messaging.ID]time.Duration{}
	for _, e := range r.Emits {
		by[e.From] = e.Message.(clock.Adjusted).By
	}
	return by
}

// The mean of the clocks counts, of which some may be far from the others or not answer.
func TestMean(t *testing.T) {
	type by = map[messaging.ID]time.Duration
	crash := []sim.Crash{{Node: 1, At: T}}
	for what, c := range map[string]struct {
		times   []time.Duration
		crashes []sim.Crash
		want    by
	}{
		"the example of A. S. Tanenbaum (slides of B. Prabhakaran, 40), and one far from them": {
			[]time.Duration{3 * hour, 3*hour + 25*minute, 3*hour - 10*minute, 9 * hour},
			nil,
			by{0: 5 * minute, 1: -20 * minute, 2: 15 * minute, 3: 5*minute - 6*hour},
		},
		"that of the daemon is far from the others": {
			[]time.Duration{9 * hour, 3 * hour, 3*hour + 10*minute}, nil, by{0: -355 * minute, 1: 5 * minute, 2: -5 * minute},
		},
		"of two sets, that which is the most behind": {[]time.Duration{4 * hour, 2 * hour}, nil, by{0: -2 * hour, 1: 0}},
		"as far apart as may be":                     {[]time.Duration{4 * hour, 3 * hour}, nil, by{0: -30 * minute, 1: 30 * minute}},
		"one that does not answer is left out": {
			[]time.Duration{3 * hour, 3*hour + 25*minute, 3*hour - 10*minute}, crash, by{0: -5 * minute, 2: 5 * minute},
		},
	} {
		assert.Equal(t, c.want, adjusted(t, New(0, config), c.crashes, c.times...), what)
	}
}

// What is of an older round, or comes again or too late, or is about a clock before it was set, has no effect.
func TestStale(t *testing.T) {
	type mail host.Send
	tick := mail{0, physical.Tick{}}
	for self, c := range []struct{ from, sends []mail }{ // To is whom it is from
		{[]mail{
			{1, answer{1, 10}}, tick, {1, answer{1, 10}}, {0, clock.Set{Time: 30}}, tick, // a round is over
			{2, answer{1, 99}}, tick, {1, answer{1, 50}}, {2, answer{2, 9}},
		}, []mail{{1, adjust{1, 0}}, {1, poll{2}}, {2, poll{2}}}},
		{[]mail{
			{0, poll{1}}, {0, poll{2}}, {0, poll{2}}, {0, adjust{1, 5}}, // is stale
			{1, clock.Set{Time: 7}}, {0, adjust{2, 5}},
		}, []mail{{0, answer{1, 0}}, {0, answer{2, 0}}}},
	} {
		a := New(0, Config{Tick: 20, Every: 3, Wait: 2, Apart: hour})
		s := host.NewSite(a, messaging.Start{Self: messaging.ID(self), Nodes: 3}, nil)
		s.Start()
		s.Done()
		for _, e := range c.from {
			s.Receive(e.To, e.Message)
		}
		require.Len(t, s.Sends, len(c.sends))
		for k, sent := range s.Sends {
			assert.Equal(t, c.sends[k], mail(sent))
		}
		assert.Len(t, s.Emits, 1-self, "only the daemon is adjusted")
	}
}

// A network is what messages take.
type network struct {
	name        string
	latency     sim.Distribution
	least, most time.Duration
	faults      float64
}

// apart runs four clocks that drift by ρ = 0.1 % at most, from times up to 10 T apart. It returns how far the
// most distant readings of the same time are apart, once a round is over.
func apart(t *testing.T, a messaging.Algorithm, w network, seed uint64) (most time.Duration) {
	t.Helper()
	const first, until = 60 * T, 1000 * T // a round is over, and clocks have caught up
	random := rand.New(rand.NewPCG(seed, 40))
	c := sim.Config{
		Algorithm: a, Nodes: 4, Seed: seed, Latency: w.latency, Unordered: seed%2 == 0, Duplication: w.faults, Until: until,
		Pace: []time.Duration{T - T/1000, T + T/1000, T, T + T/1000}, Results: clock.Results,
	}
	for i := range messaging.ID(4) {
		c.Inputs = append(c.Inputs, sim.Input{Node: i, Message: clock.Set{Time: time.Duration(random.Int64N(int64(10 * T)))}})
		for at := T; at < until; at += 3*T + T/7 {
			c.Inputs = append(c.Inputs, sim.Input{Node: i, At: at, Message: clock.Read{}})
		}
	}
	r, err := sim.Run(c)
	require.NoError(t, err, "%s, seed %d", w.name, seed)
	least, largest := map[time.Duration]time.Duration{}, map[time.Duration]time.Duration{}
	for _, e := range r.Emits {
		reading, is := e.Message.(clock.Reading)
		if !is || e.At < first {
			continue
		}
		if _, has := least[e.At]; !has {
			least[e.At], largest[e.At] = reading.Time, reading.Time
		}
		least[e.At], largest[e.At] = min(least[e.At], reading.Time), max(largest[e.At], reading.Time)
		most = max(most, largest[e.At]-least[e.At])
	}
	return most
}

// Two members are each wrong by half of what their answer took longer than their poll, or less long, and by
// two ticks; so they stay within the longest latency without the least, four ticks, and what they drift
// between rounds, 2ρ dt.
func TestBound(t *testing.T) {
	c := Config{Tick: T / 10, Every: 1000, Wait: 100, Apart: hour}
	for _, w := range []network{
		{"equal", sim.Constant(3 * T), 3 * T, 3 * T, 0.2},
		{"uniform", sim.Uniform(T, 4*T), T, 4 * T, 0.1},
	} {
		bound := w.most - w.least + 4*c.Tick + 2*(time.Duration(c.Every+c.Wait)*c.Tick+w.most)/1000
		widest := time.Duration(0)
		for seed := range uint64(tier.Pick(10, 500)) {
			most := apart(t, New(0, c), w, seed)
			require.LessOrEqual(t, most, bound, "%s, seed %d", w.name, seed)
			widest = max(widest, most)
		}
		t.Logf("%s: at most %v apart, the bound is %v", w.name, widest, bound)
	}
}

// A member that has crashed goes on from the time that it has shown.
func TestRestart(t *testing.T) {
	r, err := sim.Run(sim.Config{
		Algorithm: New(0, config), Nodes: 2, Until: 40 * T, Results: clock.Results,
		Crashes: []sim.Crash{{Node: 1, At: 10 * T, Restart: 12 * T}},
		Inputs:  []sim.Input{{Node: 1, At: 10*T - 1, Message: clock.Read{}}, {Node: 1, At: 12*T + 1, Message: clock.Read{}}},
	})
	require.NoError(t, err)
	assert.Equal(t, r.Emits[len(r.Emits)-2].Message, r.Emits[len(r.Emits)-1].Message)
}

func TestMisuse(t *testing.T) {
	for _, c := range []Config{{}, {Tick: 1}, {Tick: 1, Every: 2}, {Tick: 1, Every: 1, Wait: 1}, {Tick: 1, Every: 2, Wait: 1, Apart: -1}} {
		assert.Panics(t, func() { New(0, c) }, "%+v", c)
	}
	assert.PanicsWithValue(t, "berkeley: the daemon is node 2: the nodes are 0 to 1", func() {
		New(2, config)(messaging.Start{Nodes: 2})
	})
}
