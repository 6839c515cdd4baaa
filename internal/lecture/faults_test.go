package lecture_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/central"
	"example.org/doorway/messaging/permission/maekawa"
	"example.org/doorway/messaging/permission/majority"
	"example.org/doorway/messaging/permission/quorum"
	"example.org/doorway/messaging/permission/ricartagrawala"
	"example.org/doorway/messaging/sim"
)

// survivors runs c, in which nodes crash, and returns the nodes that have entered.
// A failure other than a deadlock is an error.
func survivors(t *testing.T, c sim.Config) (entered []messaging.ID, stuck bool) {
	t.Helper()
	c.Order = true
	r, err := sim.Run(c)
	if stuck = sim.Failure(err) == "deadlock"; err != nil && !stuck {
		t.Fatal(err)
	}
	return enterers(r), stuck
}

// Prabhakaran, slide 14: a node that has all permissions keeps entering when
// another has crashed.
func TestPrabhakaran14PermissionsOutliveCrashes(t *testing.T) {
	entered, stuck := survivors(t, sim.Config{
		Algorithm: protocol(t, "roucairolcarvalho").New(3), Nodes: 3, Crashes: []sim.Crash{{Node: 2, At: long}, {Node: 1, At: long}},
		Load: inTurn(5, 0),
	})
	assert.False(t, stuck, "a node is stuck")
	assert.Len(t, entered, 5, "want 0 five times")
}

// HAW Hamburg, slide 18: a client cannot tell a long queue from a coordinator that has
// crashed. Until its turn comes it receives the same from both: nothing.
func TestHAW18LongQueueLooksLikeCrash(t *testing.T) {
	received := func(crashes ...sim.Crash) int {
		n := 0
		_, err := sim.Run(sim.Config{
			Algorithm: central.New, Nodes: 3, Crashes: crashes, Until: 50 * T, Stay: sim.Constant(100 * T),
			Load: sim.Script{{Node: 1}, {Node: 2, At: 5 * T}},
			Observe: func(e messaging.Event) {
				if e.To == 2 && e.Action == "delivered" {
					n++
				}
			},
		})
		if err != nil && sim.Failure(err) != "deadlock" {
			t.Fatal(err)
		}
		return n
	}
	assert.Zero(t, received(), "messages that the client receives in a long queue")
	assert.Zero(t, received(sim.Crash{Node: 0, At: 4 * T}), "messages that the client receives after a crash")
}

// HAW Hamburg, slides 23 and 26: with a request-reply protocol the algorithm of
// Ricart and Agrawala tolerates crashes. All but one may crash, in any phase: idle,
// waiting, or inside; and be detected by silence or by the host. The remaining
// nodes make all their entries.
func TestHAW26AcknowledgementsSurviveCrashes(t *testing.T) {
	t.Parallel()
	const n, each = 5, 6
	a := ricartagrawala.NewAcknowledged(4*T, 20*T) // a round trip is 2T
	for dead := 1; dead < n; dead++ {
		for seed := range seeds(200) {
			var script sim.Script
			for _, i := range all(n) {
				for k := range each {
					script = append(script, sim.Request{Node: i, At: time.Duration(k) * 7 * T})
				}
			}
			c := sim.Config{Algorithm: a, Nodes: n, Load: script, Seed: seed, Latency: sim.Uniform(0, T), Stay: sim.Uniform(0, 3*T), Unordered: seed%2 == 0}
			for k := range dead {
				c.Crashes = append(c.Crashes, sim.Crash{
					Node: messaging.ID((int(seed) + k) % n), At: time.Duration(seed*7919+uint64(k)*104729) % 60 * T,
				})
			}
			if seed%3 == 0 {
				c.Detection = sim.Constant(2 * T)
			}
			r := run(t, c)
			for _, i := range without(n, crashed(c)...) {
				if r.EntriesOf[i] != each {
					t.Errorf("seed %d: %v have crashed, and node %d entered %d times, want %d", seed, crashed(c), i, r.EntriesOf[i], each)
				}
			}
		}
	}
}

func crashed(c sim.Config) []messaging.ID {
	var ids []messaging.ID
	for _, crash := range c.Crashes {
		ids = append(ids, crash.Node)
	}
	return ids
}

// HAW Hamburg, slide 23: "a simple majority will do" — so the others may have
// crashed. With a new majority after each withdrawal, the remaining nodes enter as
// long as less than half have crashed, and none of these has a vote of a live node
// or has asked for one. If more have crashed, no node enters.
func TestHAW23MajorityToleratesMinority(t *testing.T) {
	t.Parallel()
	for _, n := range []int{3, 4, 5, 7} {
		for dead := range n {
			for seed := range seeds(20) {
				c := sim.Config{
					Algorithm: majority.NewChoosing, Nodes: n, Load: sim.HighLoad{Users: all(n)[dead:]}, Entries: 10 * n, Seed: seed,
					GiveUp: 1, GiveUpAfter: sim.Uniform(10*T, 30*T*time.Duration(n)), Until: 100_000 * T,
				}
				for i := range dead {
					c.Crashes = append(c.Crashes, sim.Crash{Node: messaging.ID(i)})
				}
				r := run(t, c)
				want := 10 * n
				if dead > (n-1)/2 {
					want = 0
				}
				assert.Equal(t, want, r.Entries, "%d of %d nodes have crashed: entries", dead, n)
			}
		}
	}
}

// In Maekawa's algorithm (Reiser 2002, slides 5.12 ff.; none speaks of faults) a
// crash affects the K of N nodes whose quorums contain the crashed one. The others
// enter, but only until one of the K asks: that one waits forever, with the locks
// of the rest of its quorum, which intersects every quorum.
func TestReiser5_12MaekawaCrashes(t *testing.T) {
	for _, n := range []int{7, 13, 21} {
		s := system(t, quorum.Plane, n)
		for _, dead := range all(n) {
			spared := 0
			for _, i := range without(n, dead) {
				c := sim.Config{Algorithm: maekawa.New(s), Nodes: n, Crashes: []sim.Crash{{Node: dead}}, Load: sim.Script{{Node: i, At: T}}}
				needs := slices.Contains(s.Of(i), dead)
				if entered, stuck := survivors(t, c); stuck != needs || len(entered) == 1 == needs {
					t.Errorf("%d of %d nodes has crashed: %v enter, and %d asked the nodes %v", dead, n, entered, i, s.Of(i))
				}
				if needs {
					continue
				}
				spared++
				blocked := slices.IndexFunc(all(n), func(j messaging.ID) bool { return j != dead && slices.Contains(s.Of(j), dead) })
				c.Load = sim.Script{{Node: messaging.ID(blocked), At: T}, {Node: i, At: long}}
				if entered, stuck := survivors(t, c); !stuck || len(entered) > 0 {
					t.Errorf("%d of %d nodes has crashed, and %d has asked: %v enter", dead, n, blocked, entered)
				}
			}
			assert.Equal(t, n-size(n), spared, "%d of %d nodes has crashed: nodes that it spares", dead, n)
		}
	}
}
