package lamport_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/nodetest"
	"example.org/doorway/messaging/permission/lamport"
	"example.org/doorway/messaging/sim"
)

var algorithms = map[string]messaging.Algorithm{
	"Lamport": lamport.New, "suppressed replies": lamport.NewSuppressed,
}

func TestSchedules(t *testing.T) {
	for name, a := range algorithms {
		for seed := range tier.Pick[uint64](500, 2000) {
			c := nodetest.Config{Nodes: int(seed%5) + 1, Seed: seed, Withdraw: float64(seed%3) / 4}
			if err := nodetest.Run(a, c); err != nil {
				t.Fatal(name, err)
			}
		}
	}
}

// Without FIFO links, two nodes enter (a reply overtakes an older request), and a
// node waits forever (a release overtakes its request).
func TestNeedsFIFO(t *testing.T) {
	for name, a := range algorithms {
		found := map[string]uint64{}
		seed := uint64(0)
		for ; seed < 2000 && len(found) < 2; seed++ {
			err := nodetest.Run(a, nodetest.Config{Nodes: 3, Seed: seed, Unordered: true})
			switch kind := nodetest.Failure(err); kind {
			case "exclusion", "deadlock":
				found[kind]++
			case "panic":
				t.Fatal(name, err)
			}
		}
		if len(found) < 2 {
			t.Errorf("%s: %d schedules without FIFO, and found is %v", name, seed, found)
		}
	}
}

// It takes 3(N-1) messages an entry, at any load.
func TestMessages(t *testing.T) {
	for name, load := range map[string]sim.Load{"low": sim.LowLoad{}, "high": sim.HighLoad{}} {
		for nodes := 1; nodes <= 10; nodes++ {
			r := run(t, sim.Config{
				Algorithm: lamport.New, Nodes: nodes, Load: load, Entries: 5 * nodes, Latency: sim.Uniform(0, 2*sim.T),
			})
			for _, kind := range []string{"REQUEST", "REPLY", "RELEASE"} {
				assert.Equal(t, r.Entries*(nodes-1), r.Kinds[kind], "%s load, %d nodes: %s", name, nodes, kind)
			}
		}
	}
}

// Each pair of requests that cross saves a reply.
func TestSuppressed(t *testing.T) {
	for nodes := 1; nodes <= 10; nodes++ {
		for m := 1; m <= nodes; m++ {
			var together sim.Script
			for i := range m {
				together = append(together, sim.Request{Node: messaging.ID(i)})
			}
			r := run(t, sim.Config{Algorithm: lamport.NewSuppressed, Nodes: nodes, Load: together})
			assert.Equal(t, 3*m*(nodes-1)-m*(m-1)/2, r.Messages, "messages when %d of %d nodes ask", m, nodes)
		}
	}
}

// The bounds of an entry, at high load.
func TestSuppressedBounds(t *testing.T) {
	for nodes := 2; nodes <= 10; nodes++ {
		r := run(t, sim.Config{
			Algorithm: lamport.NewSuppressed, Nodes: nodes, Load: sim.HighLoad{}, Entries: 20 * nodes, Latency: sim.Uniform(0, 2*sim.T),
		})
		if r.Messages < r.Entries*2*(nodes-1) || r.Messages >= r.Entries*3*(nodes-1) {
			t.Errorf("%d nodes: %d messages for %d entries", nodes, r.Messages, r.Entries)
		}
	}
}

// The suppressed reply is the one to the older of two requests: its node gets the
// younger request instead, which arrives no later. The younger request gets its
// reply.
func TestSuppressedOfTheOlder(t *testing.T) {
	run(t, sim.Config{
		Algorithm: lamport.NewSuppressed, Nodes: 2, Load: sim.Script{{Node: 0}, {Node: 1}},
		Observe: func(e messaging.Event) {
			if _, ok := e.Message.(lamport.Reply); ok && e.To != 1 {
				t.Errorf("%v", e)
			}
		},
	})
}

// If all ask concurrently, the oldest enters when their requests have arrived,
// after T; uncontended it takes 2T, for request and reply.
func TestResponse(t *testing.T) {
	for name, a := range algorithms {
		for _, c := range []struct {
			script sim.Script
			want   time.Duration
		}{
			{sim.Script{{Node: 0}}, 2 * sim.T},
			{sim.Script{{Node: 0}, {Node: 1}}, 2 * sim.T},
			{sim.Script{{Node: 0}, {Node: 1}, {Node: 2}}, sim.T},
		} {
			r := run(t, sim.Config{Algorithm: a, Nodes: 3, Load: c.script, Order: true})
			assert.Equal(t, c.want, r.Order[0].Entered, "%s, %d ask: when the first enters", name, len(c.script))
		}
	}
}

// One message delay from an exit to the next entry.
func TestDelay(t *testing.T) {
	for name, a := range algorithms {
		r := run(t, sim.Config{Algorithm: a, Nodes: 5, Load: sim.HighLoad{}, Entries: 100})
		d := r.SyncDelay
		assert.GreaterOrEqual(t, d.Count, 90, "%s: %v", name, d)
		assert.Equal(t, sim.T, d.Shortest, "%s: the shortest delay", name)
		assert.Equal(t, sim.T, d.Longest, "%s: the longest delay", name)
	}
}

// Requests enter in the order of their stamps, even with withdrawals.
func TestOrder(t *testing.T) {
	for name, a := range algorithms {
		for seed := range uint64(50) {
			var now messaging.Stamp
			run(t, sim.Config{
				Algorithm: observing(a, func(r messaging.Stamp) {
					if !now.Before(r) {
						t.Errorf("%s, seed %d: %v enters after %v", name, seed, r, now)
					}
					now = r
				}),
				Nodes: 4, Load: sim.HighLoad{}, Entries: 50, Seed: seed, Latency: sim.Uniform(0, 5*sim.T), GiveUp: float64(seed%3) / 4,
			})
		}
	}
}

// observing has the algorithm's nodes observe the stamp of each request that enters.
func observing(a messaging.Algorithm, observe func(messaging.Stamp)) messaging.Algorithm {
	return func(start messaging.Start) messaging.Node {
		return &observed{Withdrawer: a(start).(messaging.Withdrawer), observe: observe}
	}
}

type observed struct {
	messaging.Withdrawer
	observe func(messaging.Stamp)
	mine    messaging.Stamp
}

func (o *observed) Request(out messaging.Out) { o.Withdrawer.Request(tapped{out, o}) }

func (o *observed) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	o.Withdrawer.Receive(from, m, tapped{out, o})
}

type tapped struct {
	messaging.Out
	node *observed
}

func (o tapped) Send(to messaging.ID, m messaging.Message) {
	if m, ok := m.(lamport.Request); ok {
		o.node.mine = m.Of
	}
	o.Out.Send(to, m)
}

func (o tapped) Enter() {
	o.node.observe(o.node.mine)
	o.Out.Enter()
}

// Any crash blocks all, even that of a node that never asked.
func TestCrash(t *testing.T) {
	for name, a := range algorithms {
		r, err := sim.Run(sim.Config{
			Algorithm: a, Nodes: 3, Load: sim.Script{{Node: 0, At: sim.T}, {Node: 1, At: sim.T}}, Crashes: []sim.Crash{{Node: 2}},
		})
		assert.Equal(t, "deadlock", sim.Failure(err), name)
		assert.Zero(t, r.Entries, "%s: entries", name)
	}
}

// Impossible messages are rejected, and change nothing.
func TestRefuses(t *testing.T) {
	for _, m := range []messaging.Message{
		"enter",
		lamport.Request{},
		lamport.Reply{},
		lamport.Release{},
		lamport.Request{Of: messaging.Stamp{Time: 3, ID: 2}},
		lamport.Reply{At: messaging.Stamp{Time: 3, ID: 2}},
		lamport.Release{Of: messaging.Stamp{Time: 3, ID: 2}, At: messaging.Stamp{Time: 4, ID: 1}},
	} {
		site := messaging.NewSite(lamport.New, messaging.Start{Nodes: 3}, nil)
		before := fmt.Sprintf("%+v", site.Node())
		assert.Panics(t, func() { site.Receive(1, m) }, "%T%+v from node 1 is not refused", m, m)
		assert.Equal(t, before, fmt.Sprintf("%+v", site.Node()), "%T%+v changes it", m, m)
	}
}

func run(t *testing.T, c sim.Config) sim.Report {
	t.Helper()
	r, err := sim.Run(c)
	require.NoError(t, err, "seed %d\n%v", c.Seed, r)
	return r
}

// An idle node keeps nothing of its requests but their order: up to a shift of all times, its
// states are finitely many.
func TestUnbounded(t *testing.T) {
	for name, a := range algorithms {
		r, err := explore.CheckNodes(explore.NodesConfig{New: a, Nodes: 2, Rounds: explore.Unbounded})
		require.NoError(t, err, name)
		assert.Empty(t, r.Failures(), name)
	}
}
