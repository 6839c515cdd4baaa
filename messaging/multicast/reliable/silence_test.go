package reliable_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/multicast"
	"example.org/doorway/messaging/multicast/reliable"
	"example.org/doorway/messaging/sim"
)

// randomly returns a run without a detector, in which nodes send, join, leave and crash at random. Late in the run each
// node sends once more, so that a member awaits all others, and finds out which ones are down.
func randomly(seed uint64) sim.Config {
	r := rand.New(rand.NewPCG(seed, 0))
	nodes := 2 + r.IntN(6)
	c := sim.Config{
		Algorithm: reliable.New(4*sim.T, 2), Nodes: nodes, Seed: seed,
		Latency: sim.Uniform(sim.T/2, 3*sim.T/2), Patience: 10_000 * sim.T, Results: multicast.Synchronous,
	}
	at := func() time.Duration { return time.Duration(r.Int64N(int64(60 * sim.T))) }
	for range r.IntN(31) {
		m := [...]messaging.Message{a, join, leave}[r.IntN(3)]
		c.Inputs = append(c.Inputs, sim.Input{Node: messaging.ID(r.IntN(nodes)), At: at(), Message: m})
	}
	for range r.IntN(nodes) {
		c.Crashes = append(c.Crashes, sim.Crash{Node: messaging.ID(r.IntN(nodes)), At: at()})
	}
	for i := range messaging.ID(nodes) {
		c.Inputs = append(c.Inputs, sim.Input{Node: i, At: 1000 * sim.T, Message: b})
	}
	return c
}

// If timeouts are longer than a round trip, a run ends, and all live members agree, whatever users want and whoever crashes.
func TestSilenceAtRandom(t *testing.T) {
	for seed := range uint64(tier.Pick(200, 20_000)) {
		_, err := sim.Run(randomly(seed))
		require.NoError(t, err, "seed %d", seed)
	}
}

// So it is if nodes may crash when they have sent a message to some only.
func TestSilenceMidway(t *testing.T) {
	for seed := range uint64(tier.Pick(200, 20_000)) {
		c := randomly(seed)
		c.Algorithm = midway(reliable.New(40*sim.T, 2), sim.T/2)
		_, err := sim.Run(c)
		require.NoError(t, err, "seed %d", seed)
	}
}

// timed returns a node with timers that has started.
func timed(self messaging.ID, nodes int) *messaging.Site {
	site := messaging.NewSite(reliable.New(1, 2), messaging.Start{Self: self, Nodes: nodes}, nil)
	site.Start()
	return site
}

// If the coordinator falls silent, the next member is awaited, and then the next.
func TestSilentInTurn(t *testing.T) {
	site := timed(2, 4)
	site.Receive(0, reliable.Flush{View: 2})
	for range 2 {
		site.Receive(2, reliable.Tick{})
	}
	site.Done()
	site.Receive(2, reliable.Tick{})
	assert.Equal(t, []any{messaging.Removed{Node: 1}}, site.Emits)
	assert.Contains(t, site.Sends, messaging.Send{To: 3, Message: reliable.Flush{View: 2}})
}

// A node that wants to join or to leave is awaited too: the coordinator may not know of its wish.
func TestSilentWisher(t *testing.T) {
	site := timed(1, 3)
	site.Receive(2, reliable.Leave{View: 1})
	site.Receive(1, reliable.Tick{})
	site.Receive(0, reliable.Alive{})
	site.Done()
	site.Receive(1, reliable.Tick{})
	assert.Equal(t, []any{messaging.Removed{Node: 2}}, site.Emits)
}

// One that has left with the present view is told who is silent: it may have to bring others into that view.
func TestSuspectToThoseWhoLeft(t *testing.T) {
	site := timed(1, 3)
	site.Receive(0, reliable.Install{View: multicast.View{Number: 2, Members: []messaging.ID{0, 1}}, Before: []messaging.ID{0, 1, 2}})
	site.Receive(1, a)
	site.Receive(1, reliable.Tick{})
	site.Done()
	site.Receive(1, reliable.Tick{})
	assert.Contains(t, site.Sends, messaging.Send{To: 2, Message: reliable.Suspect{Node: 0}})
}

// The node that was to tell who is silent may be down itself: a node that is awaited learns it with each Probe.
func TestProbeTellsWhoIsSilent(t *testing.T) {
	site := timed(2, 4)
	site.Receive(0, reliable.Flush{View: 2})
	site.Receive(3, reliable.Suspect{Node: 0})
	site.Done()
	site.Receive(2, reliable.Tick{})
	assert.Equal(t, []messaging.Send{{To: 1, Message: reliable.Suspect{Node: 0}}, {To: 1, Message: reliable.Probe{}}}, site.Sends)
}

// A node that is to join a view awaits the one that says so, and none if that is down: others may have decided on another
// view, without it, and then do not tell it.
func TestSilentInviter(t *testing.T) {
	site := timed(0, 3)
	site.Receive(0, leave)
	site.Receive(1, reliable.Flushed{View: 1})
	site.Receive(2, reliable.Flushed{View: 1})
	site.Receive(0, join)
	third := multicast.View{Number: 3, Members: []messaging.ID{0, 1, 2}}
	site.Receive(1, reliable.Install{View: third, Before: []messaging.ID{1, 2}})
	site.Receive(0, reliable.Tick{})
	site.Receive(2, reliable.Alive{})
	site.Done()
	site.Receive(0, reliable.Tick{})
	assert.Equal(t, []any{messaging.Removed{Node: 1}}, site.Emits)
	assert.Empty(t, site.Timers, "nothing is awaited any more")
}
