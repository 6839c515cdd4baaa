package recovery_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/node/host"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/nodetest"
	"example.org/doorway/messaging/permission/central"
	"example.org/doorway/messaging/recovery"
	"example.org/doorway/messaging/sim"
	"example.org/doorway/messaging/token/naimitrehel"
	"example.org/doorway/messaging/token/raymond"
	"example.org/doorway/messaging/token/singhal"
	"example.org/doorway/messaging/token/suzukikasami"
	"example.org/doorway/messaging/token/tokenring"
)

var recovered = []messaging.Protocol{
	central.Protocol, suzukikasami.Protocol, raymond.Protocol, naimitrehel.Protocol, singhal.Protocol, tokenring.Protocol,
}

// In every schedule of these instances two nodes are never inside, their epochs grow, there is at most one token, and one epoch is live at a
// time. If crashes are detected, each that waits enters, so there is one token; otherwise nodes that wait for the others
// to start again do so in finitely many states.
func TestExplored(t *testing.T) {
	skipWithRace(t)
	inFull := func(ps ...messaging.Protocol) []messaging.Protocol { return tier.Pick(nil, ps) }
	for _, c := range []struct {
		what string
		of   []messaging.Protocol
		over recovery.Config
		explore.NodesConfig
	}{
		{"a node crashes in any phase", recovered, recovery.Config{}, explore.NodesConfig{
			Nodes: 3, Requests: tier.Pick([]int{0, 1, 1}, []int{1, 1, 1}), Unordered: true, Crashes: 1, Detected: true,
		}},
		{"two of three crash, also while the others regenerate", inFull(central.Protocol, suzukikasami.Protocol), recovery.Config{}, explore.NodesConfig{
			Nodes: 3, Unordered: true, Crashes: 2, Detected: true,
		}},
		{"one of four crashes", inFull(central.Protocol, suzukikasami.Protocol), recovery.Config{}, explore.NodesConfig{
			Nodes: 4, Requests: []int{1, 1, 0, 0}, Crashes: 1, Detected: true,
		}},
		// Not all count the same nodes as crashed then, and the one that seems to have crashed answers a Probe.
		{"one is told of a crash that has not happened", recovered[:tier.Pick(1, 2)], recovery.Config{}, explore.NodesConfig{
			Nodes: 3, Requests: tier.Pick([]int{0, 1, 0}, []int{1, 1, 0}), Unordered: tier.Full, Detected: true, Suspicions: 1,
		}},
		{"none is told but for one wrong notice", recovered[:1], explored, explore.NodesConfig{Nodes: 2, Suspicions: 1}},
		{"a timer expires early", recovered[:1], explored, explore.NodesConfig{Nodes: 2, Early: 2}},
		{"both crash, and one starts again", recovered[:1], explored, explore.NodesConfig{Nodes: 2, Requests: []int{1, 0}, Crashes: 2, Restarts: 1}},
		{"one wrong notice to one of three", inFull(central.Protocol), explored, explore.NodesConfig{Nodes: 3, Requests: []int{0, 1, 1}, Suspicions: 1}},
		{"one of three starts again", inFull(central.Protocol), explored, explore.NodesConfig{Nodes: 3, Requests: []int{0, 1, 1}, Crashes: 1, Restarts: 1}},
	} {
		for _, p := range c.of {
			t.Run(p.Name+"/"+c.what, func(t *testing.T) {
				tier.Each(t, p.Name)
				r := recovery.Of(p, c.over)
				a, err := r.New(c.Nodes)
				require.NoError(t, err)
				e := c.NodesConfig
				e.New, e.Unordered, e.Perpetual, e.Memory, e.Invariant = a, e.Unordered && !p.FIFO, p.Perpetual, 1<<30, recovery.OneLive(r.Invariant)
				report, err := explore.CheckNodes(e)
				require.NoError(t, err)
				t.Logf("%d states, %d bytes", report.States, report.Bytes)
				verdicts := map[string]explore.NodesVerdict{"mutual exclusion": report.MutualExclusion, "fencing": report.Fencing, "invariant": report.Invariant}
				if c.Detected {
					verdicts["progress"] = report.DeadlockFree
				}
				for what, v := range verdicts {
					assert.Equal(t, explore.Holds, v.Status, "%s: %v", what, v.History)
				}
			})
		}
	}
}

// Nodes crash and start again at random times, also while others regenerate. Each that waits enters, unless
// all that took part in the last epoch have crashed, and not all nodes are up.
func TestRestarts(t *testing.T) {
	seeds := uint64(tier.Fewer(tier.Pick(100, 5000)))
	for _, p := range recovered {
		t.Run(p.Name, func(t *testing.T) {
			tier.Each(t, p.Name)
			t.Parallel()
			r := recovery.Of(p, recovery.Config{})
			blocked := 0
			for seed := range seeds {
				n := 2 + int(seed%4)
				a, err := r.New(n)
				require.NoError(t, err)
				c := schedule(r, n, seed)
				if seed%3 == 0 {
					c.Crashes, c.Restarts = 2*n, n+int(seed)%n // some stay down
				}
				var last []messaging.Node
				rule := c.Invariant
				c.Invariant = func(nodes []messaging.Node, transit []messaging.Event) error {
					last = append(last[:0], nodes...)
					return rule(nodes, transit)
				}
				if err := nodetest.Run(a, c); sim.Failure(err) != "deadlock" || recovery.Kept(last) {
					require.NoError(t, err)
				} else {
					blocked++
				}
			}
			assert.NotZero(t, blocked)
		})
	}
}

// In one of 10,000 schedules, and in these, nodes wait forever unless each of the conditions under which a node
// leaves a Suspect to the leader holds: that it has not named the epoch, and does not regenerate.
func TestSuspectsThatTheLeaderDoesNotGet(t *testing.T) {
	r := recovery.Of(central.Protocol, recovery.Config{})
	for _, c := range []nodetest.Config{
		{Seed: 11813, Nodes: 4, Crashes: 4, Restarts: 2, Unordered: false},
		{Seed: 19502, Nodes: 3, Crashes: 2, Restarts: 2, Unordered: true},
	} {
		a, err := r.New(c.Nodes)
		require.NoError(t, err)
		c.Entries, c.Withdraw, c.Detected, c.Invariant = 12, 0.1, true, r.Invariant
		require.NoError(t, nodetest.Run(a, c))
	}
}

// A node that has started again answers no Freeze of before: otherwise another node that has answered that, too, before it was
// told of the crash, would be in an epoch with it, count it as crashed, and begin another one without it.
func TestFreezeNamesIncarnation(t *testing.T) {
	s := host.NewSite(recovery.Over(central.Protocol, recovery.Config{}), messaging.Start{Nodes: 3, Restarted: true}, nil)
	s.Start()
	s.Done()
	s.Receive(2, recovery.Freeze{Epoch: 2})
	assert.Equal(t, []host.Send{{To: 2, Message: recovery.Suspect{Incarnation: 1}}}, s.Sends)
	s.Done()
	s.Receive(2, recovery.Freeze{Epoch: 2, To: 1})
	assert.Equal(t, []host.Send{{To: 2, Message: recovery.Status{Epoch: 2, Number: 1}}}, s.Sends)
}

// schedule is a random one with crashes that are detected: of some nodes, of which some start again, or
// more, and all do.
func schedule(r messaging.Protocol, nodes int, seed uint64) nodetest.Config {
	c := nodetest.Config{
		Nodes: nodes, Seed: seed, Entries: 24, Withdraw: 0.1, Unordered: !r.FIFO, Perpetual: r.Perpetual, Invariant: recovery.OneLive(r.Invariant),
		Crashes: nodes - 1, Restarts: int(seed % uint64(nodes)), Detected: true,
	}
	if seed%2 == 1 {
		c.Crashes, c.Restarts = 6, 6
	}
	return c
}

// skipWithRace skips what starts no goroutine.
func skipWithRace(t *testing.T) {
	t.Helper()
	if tier.Race {
		t.Skip("nodes are sequential: the race detector finds nothing")
	}
}

// The nodes keep the contract of nodes.
func TestContract(t *testing.T) {
	skipWithRace(t)
	for _, p := range recovered {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			r := recovery.Of(p, recovery.Config{})
			a, err := r.New(4)
			require.NoError(t, err)
			schedules := make([]nodetest.Config, tier.Pick(4, 30))
			for k := range schedules {
				schedules[k] = schedule(r, 4, uint64(k))
			}
			require.NoError(t, nodetest.Check(a, r.Kinds, schedules...))
		})
	}
}

// A node that was taken for crashed is told, on its next message, that an epoch has begun without it.
func TestTakenForCrashed(t *testing.T) {
	s := host.NewSite(recovery.Over(suzukikasami.Protocol, recovery.Config{}), messaging.Start{Self: 1, Nodes: 3}, nil)
	s.Start()
	s.Receive(0, recovery.Freeze{Epoch: 3, Crashed: messaging.SetOf(2)})
	s.Receive(0, recovery.Begin{Epoch: 3, Members: []messaging.ID{0, 1}})
	s.Done()
	s.Receive(2, suzukikasami.Request{Number: 1})
	assert.Equal(t, []host.Send{{To: 2, Message: recovery.Later{Epoch: 3}}}, s.Sends)
}

// The invariant of the algorithm names nodes by rank in an epoch, and the failure by what they are.
func TestInvariantNamesNodes(t *testing.T) {
	p := central.Protocol
	p.Invariant = func(nodes []messaging.Node, _ []messaging.Event) error {
		if len(nodes) == 2 {
			return errors.New("node 1 is the last")
		}
		return nil
	}
	p = recovery.Of(p, recovery.Config{})
	a, err := p.New(3)
	require.NoError(t, err)
	_, err = sim.Run(sim.Config{
		Algorithm: a, Nodes: 3, Load: sim.Script{{Node: 2, At: 9 * sim.T}}, Invariant: p.Invariant, Detection: sim.Constant(sim.T),
		Crashes: []sim.Crash{{Node: 0, At: sim.T}},
	})
	assert.ErrorContains(t, err, "the invariant is violated: in epoch 2, S3 is the last")
}
