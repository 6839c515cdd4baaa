package lecture_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/central"
	"example.org/doorway/messaging/permission/lamport"
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

// Reiser 2002, slide 5.8: Lamport's algorithm has no fault tolerance, "as soon as
// any node fails none can enter any more". This holds for whichever nodes crash and
// ask afterwards. HAW Hamburg, slide 23, says the same of Ricart and Agrawala's: n
// points of failure instead of one.
func TestReiser5_8LamportToleratesNoCrash(t *testing.T) {
	for _, name := range []string{"lamport", "lamport-suppressed", "ricartagrawala", "roucairolcarvalho"} {
		for _, n := range []int{2, 3, 5, 8} {
			for _, dead := range all(n) {
				for _, i := range without(n, dead) {
					entered, stuck := survivors(t, sim.Config{
						Algorithm: protocol(t, name).New(n), Nodes: n, Crashes: []sim.Crash{{Node: dead}},
						Load: sim.Script{{Node: i, At: T}},
					})
					if len(entered) > 0 || !stuck {
						t.Errorf("%s with %d nodes: %d has crashed, and %v enter", name, n, dead, entered)
					}
				}
			}
		}
	}
}

// Messages received before a crash count: a node that has the reply of a crashed
// node still enters, but no node after it.
func TestReiser5_8CrashAfterReply(t *testing.T) {
	for _, name := range []string{"lamport", "lamport-suppressed", "ricartagrawala", "roucairolcarvalho"} {
		entered, stuck := survivors(t, sim.Config{
			Algorithm: protocol(t, name).New(3), Nodes: 3, Crashes: []sim.Crash{{Node: 2, At: T + 1}},
			Load: sim.Script{{Node: 0}, {Node: 1, At: long}},
		})
		assert.Equal(t, []messaging.ID{0}, entered, "%s: nodes that enter", name)
		assert.True(t, stuck, "%s: no node is stuck", name)
	}
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

// HAW Hamburg, slides 18 and 26: with a coordinator, the crash of a client that
// neither has the permission nor has asked for it is tolerated. A crash of the
// coordinator or of a node inside is not; nor is that of a waiting node, but it
// blocks only when its turn comes. Node 0 coordinates, 1 enters at 2T, 2 asks
// meanwhile, then 3 does.
func TestHAW26CoordinatorCrashes(t *testing.T) {
	for _, c := range []struct {
		what    string
		crash   sim.Crash
		entered []messaging.ID
		stuck   bool
	}{
		{"none", sim.Crash{Node: 4, At: 1000 * long}, []messaging.ID{1, 2, 3}, false},
		{"a client that never asks", sim.Crash{Node: 4, At: 0}, []messaging.ID{1, 2, 3}, false},
		{"a client that has left", sim.Crash{Node: 1, At: 12*T + 1}, []messaging.ID{1, 2, 3}, false},
		{"a client inside", sim.Crash{Node: 1, At: 8 * T}, []messaging.ID{1}, true},
		{"a client that waits", sim.Crash{Node: 2, At: 8 * T}, []messaging.ID{1}, true},
		{"the coordinator while idle", sim.Crash{Node: 0, At: 0}, nil, true},
		{"the coordinator while one is inside", sim.Crash{Node: 0, At: 8 * T}, []messaging.ID{1}, true},
	} {
		entered, stuck := survivors(t, sim.Config{
			Algorithm: central.New, Nodes: 5, Crashes: []sim.Crash{c.crash}, Stay: sim.Constant(10 * T),
			Load: sim.Script{{Node: 1}, {Node: 2, At: 5 * T}, {Node: 3, At: 6 * T}},
		})
		assert.Equal(t, c.entered, entered, "%s crashes: nodes that enter", c.what)
		assert.Equal(t, c.stuck, stuck, "%s crashes: whether a node is stuck", c.what)
	}
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

// For that, silence must mean a crash: "if there is no acknowledgement the process
// is not active any more" (HAW Hamburg, slide 23) is wrong for a slow process, and
// then two are inside.
func TestHAW23SlowIsNotCrashed(t *testing.T) {
	a := ricartagrawala.NewAcknowledged(4*T, 20*T)
	_, err := sim.Run(sim.Config{
		Algorithm: a, Nodes: 2, Load: sim.Script{{Node: 0, Stay: 10 * long}, {Node: 1, At: long}},
		Except: []sim.Exception{{Kind: "DEFERRED", Latency: sim.Constant(2 * long)}},
	})
	assert.Equal(t, "exclusion", sim.Failure(err), "want two inside")
}

// HAW Hamburg, slide 26: "none of the algorithms described here tolerates a loss of
// messages". If any message of an uncontended request is lost, its node waits
// forever. If a RELEASE is lost, or a token that is passed on after the exit, a later
// request waits forever, if it needs the receiver. Of requests for a token, those are harmless, for now, whose
// receiver does not have it, and the news of where it is; the token itself is not.
func TestHAW26NoLossTolerated(t *testing.T) {
	const n, first, second = 7, 3, 4
	harmless := map[string]int{ // messages of the run whose loss nobody notices
		"suzukikasami": n - 2, "ricartagrawala1983": n - 2, "echo": 18, "echo-tree": 4, "snepscheut": 2, "singhal": 2,
	}
	for _, name := range names() {
		if name == "ricartagrawala-acknowledged" {
			continue // see below
		}
		c := sim.Config{Algorithm: protocol(t, name).New(n), Nodes: n, Load: together(first), Perpetual: protocol(t, name).Perpetual}
		var sent []messaging.Event
		until := 0 // as many were sent before the exit
		c.Observe = func(e messaging.Event) {
			switch e.Action {
			case "sent":
				sent = append(sent, e)
			case "left":
				until = len(sent)
			}
		}
		run(t, c)
		c.Observe = nil
		fatal, releases, unnoticed := 0, 0, 0
		for k, e := range sent {
			c.Load = together(first)
			release := k >= until
			if release {
				c.Load = sim.Script{{Node: first}, {Node: second, At: long}}
			}
			c.Except = []sim.Exception{{Kind: messaging.Kind(e.Message), From: []messaging.ID{e.From}, To: []messaging.ID{e.To}, Lose: true}}
			_, err := sim.Run(c)
			switch {
			case sim.Failure(err) == "deadlock" && release:
				releases++
			case sim.Failure(err) == "deadlock":
				fatal++
			case err == nil && harmless[name] > 0 && messaging.Kind(e.Message) != "TOKEN":
				unnoticed++
			case err != nil || !release:
				t.Errorf("%s: %v is lost, and the run ends with %v", name, e, err)
			}
		}
		t.Logf("%s: %d messages, %d of which block the node itself if they are lost, and %d the next one; %d are harmless", name, len(sent), fatal, releases, unnoticed)
		assert.Equal(t, harmless[name], unnoticed, "%s: messages whose loss is harmless", name)
		if fatal == 0 || (until < len(sent)) != (releases > 0) {
			t.Errorf("%s tolerates loss", name)
		}
	}
}

// The same under load: one message in a hundred is lost, and no algorithm completes
// a thousand entries. Lamport's even violates mutual exclusion: a node that misses
// a REQUEST, but gets a later message, may find its own request the oldest.
func TestHAW26LossUnderLoad(t *testing.T) {
	t.Parallel()
	for _, name := range names() {
		if name == "ricartagrawala-acknowledged" {
			continue
		}
		ends := map[string]int{}
		for seed := range seeds(30) {
			r, err := sim.Run(sim.Config{
				Algorithm: protocol(t, name).New(5), Nodes: 5, Load: sim.HighLoad{}, Entries: 2000, Loss: 0.01, Seed: seed,
			})
			switch failure := sim.Failure(err); failure {
			case "deadlock", "exclusion", "panic":
				ends[failure]++
			default:
				t.Errorf("%s, seed %d: %d were lost, and the run ends with %v", name, seed, r.Lost, err)
			}
		}
		t.Logf("%s: %v", name, ends)
		if name != "lamport" && name != "lamport-suppressed" {
			assert.Zero(t, ends["exclusion"], "%s: runs with two inside", name)
		}
	}
	_, err := sim.Run(sim.Config{
		Algorithm: lamport.New, Nodes: 2, Load: together(0, 1), Stay: sim.Constant(10 * T),
		Except: []sim.Exception{{Kind: "REQUEST", From: []messaging.ID{0}, Lose: true}},
	})
	assert.Equal(t, "exclusion", sim.Failure(err), "Lamport, the REQUEST of the older is lost: want two inside")
}

// With the acknowledgements of slides 23 and 26 loss is tolerated as well, since
// unanswered messages are repeated: here one message in five is lost.
func TestHAW26AcknowledgementsSurviveLoss(t *testing.T) {
	t.Parallel()
	a := ricartagrawala.NewAcknowledged(3*T, 40*3*T) // 38 tries in a row are not all lost
	for seed := range seeds(50) {
		r := run(t, sim.Config{
			Algorithm: a, Nodes: 5, Load: sim.HighLoad{}, Entries: 100, Seed: seed, Loss: 0.2, Duplication: 0.1,
			Latency: sim.Uniform(0, T), Unordered: seed%2 == 0,
		})
		if r.Entries != 100 || r.Lost == 0 || len(r.Emits) > 0 {
			t.Errorf("seed %d: %d entries, %d messages lost, emitted %v", seed, r.Entries, r.Lost, r.Emits)
		}
	}
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

// A crash of a node with a vote is different: if, of three nodes, 0 crashes inside
// with the vote of 1 or 2, only one node is left that can vote.
func TestHAW23MajorityLosesVotes(t *testing.T) {
	r := run(t, sim.Config{
		Algorithm: majority.NewChoosing, Nodes: 3, Crashes: []sim.Crash{{Node: 0, At: 10 * T}},
		Load: sim.Script{{Node: 0, Stay: long}, {Node: 1, At: 20 * T, GiveUp: 50 * T}, {Node: 1, At: 60 * T, GiveUp: 90 * T}, {Node: 2, At: 100 * T, GiveUp: 150 * T}},
	})
	assert.Equal(t, []int{1, 0, 0}, r.EntriesOf, "entries, want of node 0 only")
	assert.Equal(t, 3, r.Withdrawn)
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
