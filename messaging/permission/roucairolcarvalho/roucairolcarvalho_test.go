package roucairolcarvalho_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/nodetest"
	"example.org/doorway/messaging/permission/roucairolcarvalho"
	"example.org/doorway/messaging/sim"
)

// Between two nodes there is at most one permission, in every schedule.
func TestOnePermission(t *testing.T) {
	for _, p := range []messaging.Protocol{roucairolcarvalho.Protocol, roucairolcarvalho.Triangle, roucairolcarvalho.Withdrawing} {
		requests := []int{2, 1, 1}[:tier.Pick(2, 3)]
		a, err := p.New(len(requests))
		require.NoError(t, err)
		for _, unordered := range []bool{false, true} {
			r, err := explore.CheckNodes(explore.NodesConfig{
				New: a, Nodes: len(requests), Requests: requests, Withdrawals: 1, Unordered: unordered, Invariant: p.Invariant,
			})
			require.NoError(t, err)
			assert.Empty(t, r.Failures(), p.Name)
		}
	}
}

var algorithms = map[string]messaging.Algorithm{
	"empty": roucairolcarvalho.New, "triangle": roucairolcarvalho.NewTriangle, "withdrawing": roucairolcarvalho.NewWithdrawing,
}

func TestSchedules(t *testing.T) {
	for name, a := range algorithms {
		for seed := range tier.Pick[uint64](500, 2000) {
			c := nodetest.Config{
				Nodes: int(seed%6) + 1, Seed: seed, Unordered: seed%2 == 0, Withdraw: float64(seed%3) / 4,
			}
			if err := nodetest.Run(a, c); err != nil {
				t.Fatal(name, err)
			}
		}
	}
}

func TestWithdraws(t *testing.T) {
	start := messaging.Start{Nodes: 2}
	for name, a := range map[string]messaging.Algorithm{"empty": roucairolcarvalho.New, "triangle": roucairolcarvalho.NewTriangle} {
		assert.NotImplements(t, (*messaging.Withdrawer)(nil), a(start), name)
	}
	assert.Implements(t, (*messaging.Withdrawer)(nil), roucairolcarvalho.NewWithdrawing(start))
}

// Initially no node has a permission; a node that enters again has all.
func TestAgain(t *testing.T) {
	for nodes := 1; nodes <= 10; nodes++ {
		r := run(t, sim.Config{
			Algorithm: roucairolcarvalho.New, Nodes: nodes, Load: sim.LowLoad{Users: []messaging.ID{0}}, Entries: 10,
		})
		assert.Equal(t, 2*(nodes-1), r.Messages, "messages of %d nodes", nodes)
	}
}

// In the triangle, node i lacks the permissions of the i nodes before it.
func TestTriangle(t *testing.T) {
	for nodes := 1; nodes <= 10; nodes++ {
		for i := range messaging.ID(nodes) {
			r := run(t, sim.Config{Algorithm: roucairolcarvalho.NewTriangle, Nodes: nodes, Load: sim.Script{{Node: i}}})
			assert.Equal(t, 2*int(i), r.Messages, "messages of node %d of %d", i, nodes)
		}
	}
}

// Two that take turns ask each other only.
func TestTurns(t *testing.T) {
	const nodes, rounds = 6, 10
	r := run(t, sim.Config{
		Algorithm: roucairolcarvalho.New, Nodes: nodes, Load: sim.LowLoad{Users: []messaging.ID{1, 4}}, Entries: 2 * rounds,
	})
	assert.Equal(t, 2*2*(nodes-1)+2*(2*rounds-2), r.Messages, "messages")
}

// If all take turns, each entry asks all: the node has lost all its permissions
// meanwhile.
func TestRoundRobin(t *testing.T) {
	const nodes, rounds = 6, 10
	r := run(t, sim.Config{Algorithm: roucairolcarvalho.New, Nodes: nodes, Load: sim.LowLoad{}, Entries: rounds * nodes})
	assert.Equal(t, r.Entries*2*(nodes-1), r.Messages, "messages")
}

// No request is sent to a node twice, so an entry takes at most 2(N-1) messages,
// whatever the load and the delays, even if a permission is lost while waiting.
func TestAtMost(t *testing.T) {
	again := 0
	for seed := range uint64(200) {
		nodes := int(seed%6) + 2
		type asked struct {
			of messaging.Stamp
			to messaging.ID
		}
		seen := map[asked]bool{}
		inAnswer := false
		r := run(t, sim.Config{
			Algorithm: roucairolcarvalho.NewTriangle, Nodes: nodes, Load: sim.HighLoad{Think: sim.Uniform(0, 20*sim.T)}, Entries: 10 * nodes,
			Seed: seed, Latency: sim.Uniform(0, 5*sim.T), Unordered: seed%2 == 0,
			Observe: func(e messaging.Event) {
				m, ok := e.Message.(roucairolcarvalho.Request)
				switch {
				case e.Action == "delivered" || e.Action == "requested":
					inAnswer = ok && e.Action == "delivered"
				case ok && e.Action == "sent":
					if a := (asked{m.Of, e.To}); seen[a] {
						t.Errorf("seed %d: asks twice: %v", seed, e)
					} else {
						seen[a] = true
					}
					if inAnswer {
						again++
					}
				}
			},
		})
		assert.LessOrEqual(t, r.Messages, r.Entries*2*(nodes-1), "seed %d: messages for %d entries of %d nodes", seed, r.Entries, nodes)
	}
	assert.NotZero(t, again, "no permission was ever lost while waiting")
}

// One message delay from an exit to the next entry; none where the same node is
// the next.
func TestDelay(t *testing.T) {
	r := run(t, sim.Config{Algorithm: roucairolcarvalho.New, Nodes: 5, Load: sim.HighLoad{}, Entries: 100})
	d := r.SyncDelay
	assert.GreaterOrEqual(t, d.Count, 90, "%v", d)
	assert.Equal(t, sim.T, d.Shortest, "the shortest delay")
	assert.Equal(t, sim.T, d.Longest, "the longest delay")
}

// A crash blocks those that ask the node, and not those that have its permission.
func TestCrash(t *testing.T) {
	for crashed, blocked := range []bool{true, false} {
		r, err := sim.Run(sim.Config{
			Algorithm: roucairolcarvalho.NewTriangle, Nodes: 3, Load: sim.Script{{Node: messaging.ID(1 - crashed), At: sim.T}},
			Crashes: []sim.Crash{{Node: messaging.ID(crashed)}},
		})
		if sim.Failure(err) == "deadlock" != blocked || (r.Entries == 1) == blocked {
			t.Errorf("node %d crashes: %d entries, and %v", crashed, r.Entries, err)
		}
	}
}

// A node that has all permissions enters although an older request is in transit to
// it.
func TestNotByStamps(t *testing.T) {
	r := run(t, sim.Config{
		Algorithm: roucairolcarvalho.NewTriangle, Nodes: 2,
		Load: sim.Script{{Node: 1}, {Node: 0, At: sim.T / 2}}, Order: true,
	})
	assert.Equal(t, messaging.ID(0), r.Order[0].Node, "order: %v", r.Order)
	assert.Equal(t, 1, r.Bypasses, "bypasses")
}

// Impossible messages are rejected, and change nothing.
func TestRefuses(t *testing.T) {
	stamp := func(time messaging.Time, id messaging.ID) messaging.Stamp {
		return messaging.Stamp{Time: time, ID: id}
	}
	for name, a := range algorithms {
		for _, m := range []messaging.Message{
			"enter",
			roucairolcarvalho.Request{},
			roucairolcarvalho.Reply{},
			roucairolcarvalho.Request{Of: stamp(1, 0)},
			roucairolcarvalho.Reply{To: stamp(2, 2)},
			roucairolcarvalho.Reply{To: stamp(1, 1)},
		} {
			site := messaging.NewSite(a, messaging.Start{Self: 2, Nodes: 3}, nil)
			site.Request()
			before := fmt.Sprintf("%+v", site.Node())
			assert.Panics(t, func() { site.Receive(1, m) }, "%s: %T%+v from node 1 is not refused", name, m, m)
			assert.Equal(t, before, fmt.Sprintf("%+v", site.Node()), "%s: %T%+v changes it", name, m, m)
		}
	}
}

func run(t *testing.T, c sim.Config) sim.Report {
	t.Helper()
	r, err := sim.Run(c)
	require.NoError(t, err, "seed %d\n%v", c.Seed, r)
	return r
}
