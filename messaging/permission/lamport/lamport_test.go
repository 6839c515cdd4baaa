package lamport_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/lamport"
	"example.org/doorway/messaging/sim"
)

var algorithms = map[string]messaging.Algorithm{
	"Lamport": lamport.New, "suppressed replies": lamport.NewSuppressed,
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

func run(t *testing.T, c sim.Config) sim.Report {
	t.Helper()
	r, err := sim.Run(c)
	require.NoError(t, err, "seed %d\n%v", c.Seed, r)
	return r
}

// Requests enter in the order of their stamps, even with withdrawals.
func TestOrder(t *testing.T) {
	for name, a := range algorithms {
		for seed := range uint64(50) {
			var last messaging.Stamp
			mine := make([]messaging.Stamp, 4)
			run(t, sim.Config{
				Algorithm: a, Nodes: 4, Load: sim.HighLoad{}, Entries: 50, Seed: seed, Latency: sim.Uniform(0, 5*sim.T), GiveUp: float64(seed%3) / 4,
				Observe: func(e messaging.Event) {
					if m, ok := e.Message.(lamport.Request); ok && e.Action == "sent" {
						mine[e.From] = m.Of
					}
					if e.Action == "entered" {
						assert.True(t, last.Before(mine[e.From]), "%s, seed %d: %v enters after %v", name, seed, mine[e.From], last)
						last = mine[e.From]
					}
				},
			})
		}
	}
}

// An idle node keeps nothing of its requests but their order: up to a shift of all times, its
// states are finitely many.
func TestNothingIsKept(t *testing.T) {
	site := messaging.NewSite(lamport.New, messaging.Start{Nodes: 1}, nil)
	site.Request()
	site.Release()
	assert.Contains(t, fmt.Sprintf("%+v", site.Node()), "Mine:{Time:0 ID:0}")
}
