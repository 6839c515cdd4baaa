package ricartagrawala

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/node/host"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
)

// patient nodes never repeat a request if messages take a few units of time.
var patient = NewAcknowledged(1000*sim.T, 10000*sim.T)

// Messages are lost, duplicated and reordered, nodes crash in any phase, and
// requests are withdrawn: the live nodes still enter, and remove no live node.
func TestAcknowledgedFaults(t *testing.T) {
	const retransmit, failure = 8 * sim.T, (16+2)*8*sim.T + 6*sim.T
	removed := 0
	for seed := range uint64(tier.Pick(100, 300)) {
		nodes := int(seed%5) + 2
		c := sim.Config{
			Algorithm: NewAcknowledged(retransmit, failure), Nodes: nodes,
			Load: sim.HighLoad{Think: sim.Uniform(0, 20*sim.T)}, Entries: 15 * nodes,
			Stay: sim.Uniform(0, 5*sim.T), Latency: sim.Uniform(0, 3*sim.T), Unordered: true,
			GiveUp: float64(seed%4) / 8, Loss: float64(seed%2) / 10, Duplication: float64(seed%3) / 10,
			Crashes: crashes(nodes, seed), Seed: seed,
		}
		if seed%7 == 0 {
			c.Detection = sim.Uniform(10*sim.T, 30*sim.T)
		}
		r := run(t, c)
		removed += len(onlyCrashed(t, c, r))
		assert.GreaterOrEqual(t, r.Entries, c.Entries-nodes, "seed %d: entries of %d", seed, c.Entries)
	}
	assert.GreaterOrEqual(t, removed, tier.Pick(100, 300), "removals: what is tested here?")
}

// crashes are up to nodes-1, at times that the seed scatters.
func crashes(nodes int, seed uint64) []sim.Crash {
	var all []sim.Crash
	for k := range int(seed/5) % nodes {
		all = append(all, sim.Crash{Node: messaging.ID(k), At: time.Duration(seed*uint64(k+1)*7919%90) * sim.T})
	}
	return all
}

// onlyCrashed returns the nodes that were removed, and reports an error for a live
// one.
func onlyCrashed(t *testing.T, c sim.Config, r sim.Report) []messaging.ID {
	t.Helper()
	var crashed messaging.Set
	for _, crash := range c.Crashes {
		crashed.Add(crash.Node)
	}
	var removed []messaging.ID
	for _, e := range r.Emits {
		node := e.Message.(messaging.Removed).Node
		removed = append(removed, node)
		assert.True(t, crashed.Has(node), "seed %d: node %d removes node %d, which lives", c.Seed, e.From, node)
	}
	return removed
}

// Without crashes and losses, only deferred requests are repeated, and only by the timer. A
// late grant is not repeated by a timer that was set before it was sent, nor is a request that was
// withdrawn. Node 0 asks at 0, is inside from 2, and stays.
func TestAcknowledgedPolls(t *testing.T) {
	for _, c := range []struct {
		stay      time.Duration
		next      sim.Request
		kinds     [4]int // REQUEST, DEFERRED, GRANT, ACKNOWLEDGE
		withdrawn int
	}{
		// Node 1 has its answer at 5, and at each second tick again: 13, 23 ... 103, when the grant is in transit.
		{100 * sim.T, sim.Request{Node: 1, At: 3 * sim.T}, [4]int{2 + 10, 1 + 9, 1 + 1 + 1, 1}, 0},
		// Node 0 leaves at 4.5, its timer is at 5, and the acknowledgement comes at 6.5.
		{5 * sim.T / 2, sim.Request{Node: 1, At: sim.T}, [4]int{2, 1, 2, 1}, 0},
		{100 * sim.T, sim.Request{Node: 1, At: 3 * sim.T, GiveUp: 9 * sim.T}, [4]int{2, 1, 2, 1}, 1},
	} {
		r := run(t, sim.Config{
			Algorithm: NewAcknowledged(5*sim.T, 20*sim.T), Nodes: 2, Load: sim.Script{{Node: 0}, c.next}, Stay: sim.Constant(c.stay),
		})
		for k, kind := range []string{"REQUEST", "DEFERRED", "GRANT", "ACKNOWLEDGE"} {
			assert.Equal(t, c.kinds[k], r.Kinds[kind], kind)
		}
		assert.Equal(t, c.withdrawn, r.Withdrawn)
	}
}

// An acknowledgement of an earlier grant, delivered twice, does not acknowledge the
// last one.
func TestAcknowledgedStaleAcknowledge(t *testing.T) {
	site := host.NewSite(patient, messaging.Start{Nodes: 2}, nil)
	stamp := func(time messaging.Time) messaging.Stamp { return messaging.Stamp{Time: time, ID: 1} }
	late := func(time messaging.Time) {
		site.Request()
		site.Receive(1, grant{To: messaging.Stamp{Time: time - 1}})
		site.Receive(1, Request{Of: stamp(time)})
		site.Release()
	}
	late(2)
	site.Receive(1, acknowledge{To: stamp(2)})
	late(4)
	site.Receive(1, acknowledge{To: stamp(2)})
	site.Receive(0, tick{})
	site.Done()
	site.Receive(0, tick{})
	again := host.Send{To: 1, Message: grant{To: stamp(4), Late: true}}
	assert.Equal(t, []host.Send{again}, site.Sends, "the grant is repeated, since it is not acknowledged")
}

// Node 0 crashes inside. A waiting node suspects it after it has been silent for
// longer than the timeout, at most two intervals late; or when its host reports the
// crash.
func TestAcknowledgedCrashInside(t *testing.T) {
	const retransmit, failure = 5 * sim.T, 23 * sim.T
	c := sim.Config{
		Algorithm: NewAcknowledged(retransmit, failure), Nodes: 3,
		Load: sim.Script{{Node: 0}, {Node: 1, At: 3 * sim.T}}, Stay: sim.Constant(100 * sim.T),
		Crashes: []sim.Crash{{Node: 0, At: 50 * sim.T}}, Order: true,
	}
	entered := run(t, c).Order[1].Entered
	// Its last answer was to the request of 43, at 45.
	if silent := entered - 45*sim.T; silent <= failure || silent > failure+2*retransmit {
		t.Errorf("node 1 entered after %v of silence", silent)
	}
	c.Detection = sim.Constant(sim.T)
	assert.Equal(t, 51*sim.T, run(t, c).Order[1].Entered, "told at 51, when node 1 entered")
}

// A removed node is no longer asked, and its messages are dropped.
func TestAcknowledgedRemoved(t *testing.T) {
	r := run(t, sim.Config{
		Algorithm: NewAcknowledged(5*sim.T, 23*sim.T), Nodes: 3,
		Load:    sim.Script{{Node: 1, At: sim.T}, {Node: 1, At: 100 * sim.T}},
		Crashes: []sim.Crash{{Node: 0}}, Order: true,
	})
	assert.Greater(t, r.Order[0].Entered, 24*sim.T, "when node 1 enters without the grant of node 0")
	assert.Equal(t, 102*sim.T, r.Order[1].Entered, "when node 1 enters again")

	site := host.NewSite(patient, messaging.Start{Nodes: 2}, nil)
	site.Down(1)
	site.Receive(1, Request{Of: messaging.Stamp{Time: 1, ID: 1}})
	site.Down(1)
	assert.Empty(t, site.Sends)
	assert.Equal(t, []any{messaging.Removed{Node: 1}}, site.Emits)
}

// A node that has removed another waits until the rest know of its epoch: their grants of an earlier
// one, in transit meanwhile, do not count.
func TestAcknowledgedEarlierGrant(t *testing.T) {
	site := host.NewSite(NewAcknowledged(1, 2), messaging.Start{Nodes: 3}, nil)
	site.Request()
	for range 2 {
		site.Receive(0, tick{})
		site.Receive(1, deferred{To: messaging.Stamp{Time: 1}})
	}
	site.Receive(0, tick{})
	require.Equal(t, []any{messaging.Removed{Node: 2}}, site.Emits)
	grant := grant{To: messaging.Stamp{Time: 1}, Late: true}
	site.Receive(1, grant)
	assert.Equal(t, messaging.Waiting, site.Phase(), "after a grant of epoch 0")
	site.Receive(1, within{Epoch: 1, Message: grant})
	assert.Equal(t, messaging.Inside, site.Phase())
}

// The requester crashes while it is deferred, so that its grant is never
// acknowledged: the grant is not repeated forever.
func TestAcknowledgedCrashOfWaiter(t *testing.T) {
	const retransmit, failure = 5 * sim.T, 23 * sim.T
	c := sim.Config{
		Algorithm: NewAcknowledged(retransmit, failure), Nodes: 2,
		Load: sim.Script{{Node: 0}, {Node: 1, At: 3 * sim.T}}, Stay: sim.Constant(20 * sim.T),
		Crashes: []sim.Crash{{Node: 1, At: 10 * sim.T}},
	}
	r := run(t, c)
	assert.Len(t, onlyCrashed(t, c, r), 1, "removed")
	// Node 0 leaves at 22, and grants at once; its timer goes on, at each 5.
	if r.Time <= 22*sim.T+failure || r.Time > 22*sim.T+failure+2*retransmit {
		t.Errorf("the last timer was at %v", r.Time)
	}
}

// The rule for the timeout, at its edge: (L+2) retransmit + R, with every round
// trip taking R and L tries in a row lost.
func TestAcknowledgedTimeoutSuffices(t *testing.T) {
	for lost := range 4 {
		for _, latency := range []time.Duration{sim.T, 3 * sim.T, 8 * sim.T} {
			failure := time.Duration(lost+2)*5*sim.T + 2*latency
			net := &unlucky{lost: lost, tries: make([]int, 9)}
			c := sim.Config{
				Algorithm: net.wrap(NewAcknowledged(5*sim.T, failure)), Nodes: 3,
				Load: sim.HighLoad{Think: sim.Uniform(0, 7*sim.T)}, Entries: 60,
				Stay: sim.Uniform(0, 40*sim.T), Latency: sim.Constant(latency),
			}
			r := run(t, c)
			onlyCrashed(t, c, r)
			assert.Equal(t, lost > 0, net.dropped > 0, "of each %d tries %d are lost, and %d were", lost+1, lost, net.dropped)
		}
	}
}

// unlucky drops all requests to a node but each (lost+1)-th, whichever node they are from.
type unlucky struct {
	lost, dropped int
	tries         []int // by link
}

func (u *unlucky) wrap(a messaging.Algorithm) messaging.Algorithm {
	return func(start messaging.Start) messaging.Node {
		return deaf{a(start).(messaging.Withdrawer), start, u}
	}
}

type deaf struct {
	messaging.Withdrawer
	start messaging.Start
	net   *unlucky
}

func (d deaf) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if _, ok := m.(Request); ok {
		tries := &d.net.tries[int(from)*d.start.Nodes+int(d.start.Self)]
		if *tries++; *tries%(d.net.lost+1) != 0 {
			d.net.dropped++
			return
		}
	}
	d.Withdrawer.Receive(from, m, out)
}

// The margins of NewFaultTolerant: round trips of 3.2 s remove none, and a node that
// has crashed is removed after 12 s of silence, and no more than 20.
func TestFaultTolerantMargins(t *testing.T) {
	c := sim.Config{
		Algorithm: NewFaultTolerant(), Nodes: 3, Load: sim.HighLoad{}, Entries: 60,
		Stay: sim.Uniform(0, 30*time.Second), Latency: sim.Constant(1600 * time.Millisecond),
	}
	assert.Empty(t, run(t, c).Emits, "nodes are removed that live")

	r := run(t, sim.Config{
		Algorithm: NewFaultTolerant(), Nodes: 2, Latency: sim.Constant(time.Millisecond),
		Load: sim.Script{{Node: 1}}, Crashes: []sim.Crash{{Node: 0}}, Order: true,
	})
	silent := r.Order[0].Entered
	assert.True(t, 12*time.Second < silent && silent <= 20*time.Second, "node 1 enters after %v of silence", silent)
}

func TestNewAcknowledgedPanics(t *testing.T) {
	for want, d := range map[string][2]time.Duration{
		"NewAcknowledged(0s, 1ns)":      {0, 1},
		"NewAcknowledged(-1ns, 1ns)":    {-1, 1},
		"NewAcknowledged(1ns, 1ns)":     {1, 1},
		"NewAcknowledged(2s, 1s)":       {2 * time.Second, time.Second},
		"NewAcknowledged(1ns, 0s)":      {1, 0},
		"NewAcknowledged(1ns, 24h0m0s)": {1, 24 * time.Hour}, // overflows an int of 32 bits
	} {
		assert.PanicsWithValue(t, "ricartagrawala: "+want+": want 0 < retransmit < failure, and failure less than 1<<30 intervals",
			func() { NewAcknowledged(d[0], d[1]) })
	}
	assert.NotPanics(t, func() { NewAcknowledged(1, 2) })
}

func run(t *testing.T, c sim.Config) sim.Report {
	t.Helper()
	r, err := sim.Run(c)
	require.NoError(t, err, "seed %d\n%v", c.Seed, r)
	return r
}

// A deferred request is granted on one exit, and not again on the next; of two, the later: the earlier
// one was withdrawn.
func TestAcknowledgedGrantsOnce(t *testing.T) {
	at := func(time messaging.Time, id messaging.ID) messaging.Stamp { return messaging.Stamp{Time: time, ID: id} }
	s := host.NewSite(patient, messaging.Start{Nodes: 2}, nil)
	s.Request()
	s.Receive(1, Request{Of: at(3, 1)})
	s.Receive(1, Request{Of: at(2, 1)})
	s.Receive(1, grant{To: at(1, 0)})
	s.Done()
	s.Release()
	require.Equal(t, []host.Send{{To: 1, Message: grant{To: at(3, 1), Late: true}}}, s.Sends)
	s.Receive(1, acknowledge{To: at(3, 1)})
	s.Request()
	s.Receive(1, grant{To: at(4, 0)})
	s.Done()
	s.Release()
	assert.Empty(t, s.Sends, "nothing is deferred")
}

// An idle node keeps nothing of its requests but their order: up to a shift of all times, its
// states are finitely many.
func TestAcknowledgedKeepsNothing(t *testing.T) {
	site := host.NewSite(patient, messaging.Start{Nodes: 1}, nil)
	site.Request()
	site.Release()
	assert.Contains(t, fmt.Sprintf("%+v", site.Node()), "Mine:{Time:0 ID:0}")
}

// A grant that was sent before the sender knew the epoch does not count, but its sender is up: the answer to what is
// asked anew may take as long as this one did.
func TestAcknowledgedStaleGrant(t *testing.T) {
	s := host.NewSite(NewAcknowledged(1, 2), messaging.Start{Nodes: 3}, nil)
	s.Request()
	mine := s.Sends[0].Message.(Request).Of
	for range 2 {
		s.Receive(0, tick{})
	}
	s.Receive(2, within{Epoch: 1, Message: grant{To: mine}})
	s.Receive(1, grant{To: mine})
	s.Receive(0, tick{})
	assert.Empty(t, s.Emits)
	assert.Equal(t, messaging.Waiting, s.Phase())
	s.Receive(1, within{Epoch: 1, Message: grant{To: mine}})
	assert.Equal(t, messaging.Inside, s.Phase())
}
