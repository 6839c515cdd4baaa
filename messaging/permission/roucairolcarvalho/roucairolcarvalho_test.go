package roucairolcarvalho_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/roucairolcarvalho"
	"example.org/doorway/messaging/sim"
)

func TestWithdraws(t *testing.T) {
	start := messaging.Start{Nodes: 2}
	for name, a := range map[string]messaging.Algorithm{"empty": roucairolcarvalho.New, "triangle": roucairolcarvalho.NewTriangle} {
		assert.NotImplements(t, (*messaging.Withdrawer)(nil), a(start), name)
	}
	assert.Implements(t, (*messaging.Withdrawer)(nil), roucairolcarvalho.NewWithdrawing(start))
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

func run(t *testing.T, c sim.Config) sim.Report {
	t.Helper()
	r, err := sim.Run(c)
	require.NoError(t, err, "seed %d\n%v", c.Seed, r)
	return r
}

// Only a reply to a request of this node that is over may come late.
func TestLateReplies(t *testing.T) {
	for _, c := range []struct {
		to   messaging.Stamp
		late bool
	}{
		{messaging.Stamp{Time: 1, ID: 2}, true},
		{messaging.Stamp{Time: 1, ID: 1}, false}, // another's
		{messaging.Stamp{Time: 3, ID: 2}, false},
	} {
		site := messaging.NewSite(roucairolcarvalho.NewWithdrawing, messaging.Start{Self: 2, Nodes: 3}, nil)
		site.Request()
		site.Withdraw()
		site.Request()
		get := func() { site.Receive(1, roucairolcarvalho.Reply{To: c.to}) }
		if c.late {
			assert.NotPanics(t, get)
		} else {
			assert.Panics(t, get, "a reply to %v", c.to)
		}
	}
}
