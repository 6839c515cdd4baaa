package recovery_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/central"
	"example.org/doorway/messaging/recovery"
	"example.org/doorway/messaging/sim"
)

// timeouts are those of runs in which a message takes T at most: Silence is more than the time of a message
// and its answer.
var timeouts = recovery.Config{Patience: 20 * sim.T, Silence: 2*sim.T + 1, Answer: 3 * sim.T, Coordinator: 6 * sim.T}

// explored are those of explorations, in which the times that timers have left are part of the state.
var explored = recovery.Config{Patience: 20, Silence: 3, Answer: 3, Coordinator: 6}

// With timeouts that are long enough, only a node is suspected that has been down within the last Silence, though
// the answer to a Freeze may be that the sender counts as crashed, or has named an earlier epoch; and one epoch is
// live at a time, with and without a detector.
func TestSilence(t *testing.T) {
	tier.Each(t, central.Protocol.Name)
	a, suspected, told := recovery.Over(central.Protocol, timeouts), 0, 0
	for seed := range uint64(tier.Fewer(tier.Pick(500, 100_000))) {
		s, n, err := suspicions(a, seed)
		require.NoError(t, err, "seed %d", seed)
		suspected += s
		told += n
	}
	assert.NotZero(t, suspected)
	assert.NotZero(t, told)
}

// A node has answered, and crashes. It does not count as crashed for the one that regenerates, but for another one,
// which so is not ready: it is asked again, and is silent. Or it is that which counts another one as crashed: then it is
// only that one that is asked again, until the node itself is.
func TestCrashAfterTheAnswer(t *testing.T) {
	for _, c := range []sim.Config{{
		Except: []sim.Exception{{From: []messaging.ID{1}, To: []messaging.ID{0}, Latency: sim.Constant(sim.T)}},
		Load:   sim.Script{{Node: 1, At: 6 * sim.T}, {Node: 2, At: 45 * sim.T}},
		Crashes: []sim.Crash{
			{Node: 2, At: 5 * sim.T, Restart: 40 * sim.T},
			{Node: 0, At: 5 * sim.T, Restart: 40*sim.T + sim.T/10},
			{Node: 0, At: 40*sim.T + sim.T*65/100},
		},
	}, {
		Load: sim.Script{{Node: 1, At: 6 * sim.T}, {Node: 2, At: 130 * sim.T}},
		Crashes: []sim.Crash{
			{Node: 2, At: 5 * sim.T, Restart: 40 * sim.T},
			{Node: 0, At: 5 * sim.T, Restart: 100 * sim.T},
			{Node: 1, At: 101*sim.T + sim.T*30/100},
		},
	}} {
		c.Algorithm, c.Nodes, c.Patience, c.Latency, c.Order = recovery.Over(central.Protocol, timeouts), 3, 500*sim.T, sim.Constant(sim.T/4), true
		report, err := sim.Run(c)
		require.NoError(t, err)
		assert.Equal(t, messaging.ID(2), report.Order[1].Node)
	}
}

// suspicions runs an algorithm, and returns how often a node treated another one as crashed, by why. There is an
// error if a node is suspected that is up, or two epochs are live.
func suspicions(a messaging.Algorithm, seed uint64) (suspected, told int, wrong error) {
	c := restarts(a, seed)
	up, since, notice := make([]bool, c.Nodes), make([]time.Duration, c.Nodes), uint64(0)
	for i := range up {
		up[i], since[i] = true, -timeouts.Silence
	}
	c.Invariant = recovery.OneLive(recovery.Of(central.Protocol, timeouts).Invariant)
	c.Observe = func(e messaging.Event) {
		switch m := e.Message.(type) {
		case nil:
			switch e.Action {
			case "crashed":
				up[e.From] = false
			case "restarted":
				up[e.From], since[e.From] = true, e.At
			case "told":
				notice = e.Number
			}
		case messaging.Removed:
			if e.Cause == notice {
				told++
				return
			}
			suspected++
			if up[m.Node] && e.At-since[m.Node] >= timeouts.Silence && wrong == nil {
				wrong = fmt.Errorf("at %v node %d suspects node %d, which is up since %v", e.At, e.From, m.Node, since[m.Node])
			}
		}
	}
	if _, err := sim.Run(c); wrong == nil {
		wrong = err
	}
	return suspected, told, wrong
}

// restarts is a run in which nodes of a crash and start again at random times, with and without a detector, over
// links some of which are slow.
func restarts(a messaging.Algorithm, seed uint64) sim.Config {
	chance := rand.New(rand.NewPCG(seed, 0))
	within := func(n int) time.Duration { return 1 + time.Duration(chance.Int64N(int64(n)*int64(sim.T))) }
	c := sim.Config{Algorithm: a, Nodes: 2 + chance.IntN(4), Seed: seed, Latency: sim.Uniform(0, sim.T), Patience: 2000 * sim.T}
	if chance.IntN(2) == 0 {
		c.Detection = sim.Uniform(0, 4*sim.T)
	}
	load := sim.Script{{Node: 0, At: within(100)}}
	for i := range messaging.ID(c.Nodes) {
		for range chance.IntN(3) { // so few that no other node may suspect
			load = append(load, sim.Request{Node: i, At: within(100), Stay: within(10)})
		}
		var restart time.Duration
		for range chance.IntN(6) {
			crash := restart + within(1+chance.IntN(30))
			restart = crash + within(1+chance.IntN(8))
			c.Crashes = append(c.Crashes, sim.Crash{Node: i, At: crash, Restart: restart})
		}
		for j := range messaging.ID(c.Nodes) {
			if latency := []sim.Distribution{c.Latency, sim.Constant(sim.T), sim.Uniform(0, sim.T/4)}[chance.IntN(3)]; i != j {
				c.Except = append(c.Except, sim.Exception{From: []messaging.ID{i}, To: []messaging.ID{j}, Latency: latency})
			}
		}
	}
	c.Load = load
	return c
}
