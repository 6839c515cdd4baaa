package recovery_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/link"
	"example.org/doorway/messaging/permission/central"
	"example.org/doorway/messaging/permission/ricartagrawala"
	"example.org/doorway/messaging/recovery"
	"example.org/doorway/messaging/sim"
	"example.org/doorway/messaging/snapshot"
	"example.org/doorway/messaging/token/raymond"
	"example.org/doorway/messaging/token/suzukikasami"
	"example.org/doorway/messaging/topology"
)

var repeats = link.Config{Timeout: 4 * sim.T, Tick: sim.T / 4}

// Links over recovery keep what recovery promises where messages are lost, duplicated and reordered, whichever nodes
// crash and start again, at once, too, and while others do. They are told of crashes, or suspect them.
func TestLinksOverRecovery(t *testing.T) {
	skipWithRace(t)
	for _, p := range recoverable() {
		t.Run(p.Name, func(t *testing.T) {
			tier.Each(t, p.Package())
			t.Parallel()
			for seed := range uint64(tier.Pick(10, 500)) {
				c := faulty(seed)
				c.Perpetual = p.Perpetual
				told := catalog.Recovered(p).Timed(40 * sim.T)
				if seed%2 == 1 {
					told, c.Detection, c.Perpetual = catalog.Suspecting(p).Timed(200*sim.T), sim.Distribution{}, true
				}
				c.Algorithm = link.Over(told, repeats)
				_, err := sim.Run(c)
				require.NoError(t, err, "seed %d", seed)
			}
		})
	}
}

// With snapshots between or above, too. But a link below recovery does not repeat what recovery itself sends.
func TestLinksAndSnapshots(t *testing.T) {
	skipWithRace(t)
	c := recovery.Config{Answer: 60 * sim.T, Coordinator: 120 * sim.T}
	over := recovery.Over(suzukikasami.Protocol, c)
	failed := map[string]int{}
	for seed := range uint64(tier.Pick(20, 400)) {
		f := faulty(seed)
		for name, a := range map[string]func() messaging.Algorithm{
			"link over snapshot over recovery": func() messaging.Algorithm {
				return link.Over(snapshot.Over(over, topology.Complete(f.Nodes)), repeats)
			},
			"link over recovery over snapshot": func() messaging.Algorithm {
				return link.Over(recovery.Over(snapshot.Of(suzukikasami.Protocol, topology.Complete), c), repeats)
			},
			"recovery over link": func() messaging.Algorithm {
				return recovery.Over(link.Of(suzukikasami.Protocol, repeats), c)
			},
		} {
			f.Algorithm = a()
			if _, err := sim.Run(f); err != nil {
				failed[name]++
			}
		}
	}
	assert.Positive(t, failed["recovery over link"])
	assert.Len(t, failed, 1, "%v", failed)
}

// faulty has nodes crash at random, of which some start again. One that took part in the last epoch is left, or all are.
func faulty(seed uint64) sim.Config {
	chance := rand.New(rand.NewPCG(seed, 9))
	upTo := func(d time.Duration) time.Duration { return time.Duration(chance.Int64N(int64(d))) }
	n := 2 + chance.IntN(4)
	c := sim.Config{
		Nodes: n, Seed: seed, Entries: 10 + chance.IntN(20), Patience: 200_000 * sim.T, Load: sim.HighLoad{Think: sim.Uniform(0, 6*sim.T)},
		Stay: sim.Uniform(1, 2*sim.T), GiveUp: float64(chance.IntN(3)) / 4, Holder: messaging.ID(chance.IntN(n)),
		Latency: sim.Exponential(sim.T), Detection: sim.Uniform(0, 12*sim.T), Unordered: chance.IntN(2) == 0,
		Loss: float64(chance.IntN(3)) / 10, Duplication: float64(chance.IntN(3)) / 10,
	}
	spared, all := messaging.ID(chance.IntN(n)), chance.IntN(3) == 0 // one does not crash, or all are up in the end
	for range 1 + chance.IntN(4) {
		k := sim.Crash{Node: messaging.ID(chance.IntN(n)), At: upTo(200 * sim.T)}
		switch {
		case k.Node == spared && !all:
			continue
		case chance.IntN(2) == 0:
			k.Restart = k.At + 1
		case all || chance.IntN(2) == 0:
			k.Restart = k.At + 1 + upTo(300*sim.T)
		}
		c.Crashes = append(c.Crashes, k)
	}
	return c
}

// In every schedule of two nodes, of which one crashes and starts again, and of three, of which one stays down,
// while a message is lost.
func TestLinksExplored(t *testing.T) {
	skipWithRace(t)
	two := explore.NodesConfig{Nodes: 2, Restarts: 1, Losses: tier.Pick(0, 1)}
	three := explore.NodesConfig{Nodes: 3, Requests: []int{0, 1, 1}, Losses: 1}
	for _, p := range tier.Pick([]messaging.Protocol{central.Protocol}, []messaging.Protocol{central.Protocol, ricartagrawala.Protocol, raymond.Protocol}) {
		over := link.Of(recovery.Of(p, recovery.Config{}), link.Config{Timeout: 1})
		for _, c := range tier.Pick([]explore.NodesConfig{two}, []explore.NodesConfig{two, three}) {
			a, err := over.New(c.Nodes)
			require.NoError(t, err)
			c.New, c.Crashes, c.Detected, c.Invariant = a, 1, true, over.Invariant
			r, err := explore.CheckNodes(c)
			require.NoError(t, err)
			assert.NoError(t, r.Err(), p.Name)
			t.Log(p.Name, r)
		}
	}
}
