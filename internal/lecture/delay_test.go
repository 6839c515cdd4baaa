package lecture_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/central"
	"example.org/doorway/messaging/permission/lamport"
	"example.org/doorway/messaging/permission/maekawa"
	"example.org/doorway/messaging/permission/quorum"
	"example.org/doorway/messaging/permission/ricartagrawala"
	"example.org/doorway/messaging/sim"
)

// delays checks the synchronization delay of every pair, to the tick: it is
// want(leaving, entering) in T.
func delays(t *testing.T, c sim.Config, want func(leaver, enterer messaging.ID) int) {
	t.Helper()
	c.Load, c.Pairs = eachAfterEach(c.Nodes), true
	r := run(t, c)
	for _, i := range all(c.Nodes) {
		for _, j := range without(c.Nodes, i) {
			got, want := r.Pairs[[2]messaging.ID{i, j}], time.Duration(want(i, j))*T
			if got.Count == 0 || got.Shortest != want || got.Longest != want {
				t.Errorf("%d nodes: from the exit of %d to the entry of %d it takes %v, want %s", c.Nodes, i, j, got, inT(want))
			}
		}
	}
}

func shared(a, b []messaging.ID) []messaging.ID {
	return slices.DeleteFunc(slices.Clone(a), func(i messaging.ID) bool { return !slices.Contains(b, i) })
}

// Reiser 2002, slide 5.5, and Prabhakaran, slide 7: two message delays, RELEASE and
// REPLY. If the coordinator itself leaves or enters, one of the two is local: T.
func TestReiser5_5CoordinatorDelay(t *testing.T) {
	for _, n := range []int{2, 3, 7, 13} {
		for _, holder := range all(n) {
			delays(t, sim.Config{Algorithm: central.New, Nodes: n, Holder: holder}, func(leaver, enterer messaging.ID) int {
				if leaver == holder || enterer == holder {
					return 1
				}
				return 2
			})
		}
	}
}

// Reiser 2002, slide 5.23, and Prabhakaran, slide 19: 2T. That holds unless the
// common members of the two quorums are the leaving or entering node: then RELEASE
// or LOCKED is local, and it is T. In a plane, where quorums have one member in
// common, that is so for 2/K of the pairs.
func TestReiser5_23MaekawaDelay(t *testing.T) {
	for _, s := range []quorum.System{
		system(t, quorum.Plane, 3), system(t, quorum.Plane, 7), system(t, quorum.Plane, 13), system(t, quorum.Plane, 21),
		system(t, quorum.Grid, 9), system(t, quorum.Grid, 16), system(t, quorum.Folded, 10), system(t, quorum.Majority, 6),
	} {
		n, short := s.Nodes(), 0
		delays(t, sim.Config{Algorithm: maekawa.New(s), Nodes: n}, func(leaver, enterer messaging.ID) int {
			if third(shared(s.Of(leaver), s.Of(enterer)), leaver, enterer) {
				return 2
			}
			short++
			return 1
		})
		t.Logf("%v: %d of %d pairs take T, the others 2T", s, short, n*(n-1))
		if k := size(n); s.Properties().Perfect {
			assert.Equal(t, 2*n*(n-1), short*k, "%v: %d of %d pairs take T, want 2/%d of them", s, short, n*(n-1), k)
		}
	}
}

// third reports whether a node other than i and j is among the arbiters.
func third(arbiters []messaging.ID, i, j messaging.ID) bool {
	return slices.ContainsFunc(arbiters, func(k messaging.ID) bool { return k != i && k != j })
}

// If message delays vary, T is their mean, and so is the mean synchronization delay
// of the algorithms with a delay of one message; with a coordinator it is the sum
// of two.
func TestReiser5_4MeanDelay(t *testing.T) {
	const n = 10
	for name, want := range map[string]float64{"lamport": 1, "ricartagrawala": 1, "roucairolcarvalho": 1, "central": 2} {
		for k, latency := range latencies[1:] {
			c := sim.Config{Algorithm: protocol(t, name).New(n), Nodes: n, Load: eachAfterEach(n), Latency: latency, Pairs: true}
			var all sim.Times
			for seed := range uint64(10) {
				c.Seed = seed
				for pair, d := range run(t, c).Pairs {
					if name == "central" && (pair[0] == 0 || pair[1] == 0) {
						continue
					}
					all.Count, all.Sum = all.Count+d.Count, all.Sum+d.Sum
				}
			}
			mean := float64(all.Sum) / float64(T) / float64(all.Count)
			assert.InEpsilon(t, want, mean, 0.1, "%s, latencies of kind %d: %.3f T in the mean of %d, want about %g", name, k, mean, all.Count, want)
		}
	}
}

// Reiser 2002, slides 5.8, 5.11, 5.23 and 5.36, and Prabhakaran, slides 6 and 34:
// at low load the response time is 2T+E, whatever E is. It is exactly that for
// every node, except the coordinator, which asks no other: E.
func TestReiser5_8ResponseTime(t *testing.T) {
	for _, stay := range []time.Duration{0, 1, T / 2, T, 17 * T} {
		for _, n := range []int{2, 3, 7, 13, 20} {
			for _, name := range []string{
				"central", "lamport", "lamport-suppressed", "ricartagrawala", "ricartagrawala-acknowledged",
				"majority", "majority-choosing", "maekawa", "sanders", "caosinghal",
			} {
				users := all(n)
				if name == "central" {
					users = without(n, 0)
				}
				r := run(t, sim.Config{
					Algorithm: protocol(t, name).New(n), Nodes: n, Load: sim.LowLoad{Users: users}, Entries: 2 * len(users), Stay: sim.Constant(stay),
				})
				if want := 2*T + stay; r.Response.Shortest != want || r.Response.Longest != want {
					t.Errorf("%s with %d nodes: the response time is %v, want %s", name, n, r.Response, inT(want))
				}
			}
			r := run(t, sim.Config{Algorithm: central.New, Nodes: n, Load: sim.LowLoad{Users: []messaging.ID{0}}, Entries: 2, Stay: sim.Constant(stay)})
			assert.Equal(t, stay, r.Response.Longest, "the coordinator's response time is %v, want %s", r.Response, inT(stay))
		}
	}
}

// Prabhakaran, slide 14: a node that has all permissions does not even take 2T, but E.
func TestPrabhakaran14ResponseTime(t *testing.T) {
	for _, n := range sizes {
		r := run(t, sim.Config{
			Algorithm: protocol(t, "roucairolcarvalho").New(n), Nodes: n, Load: sim.LowLoad{Users: []messaging.ID{0}}, Entries: 9, Order: true,
		})
		for k, v := range r.Order {
			want := T // E
			if k == 0 {
				want += 2 * T
			}
			got := v.Left - v.Requested
			assert.Equal(t, want, got, "%d nodes: the response time of entry %d is %s, want %s", n, k, inT(got), inT(want))
		}
	}
}

// Prabhakaran, slide 10: with suppressed replies, N requests that cross replace all
// replies. Then the oldest enters after T, not 2T; if one node does not ask it is
// 2T again.
func TestPrabhakaran10EntryAfterT(t *testing.T) {
	for _, n := range sizes {
		for _, c := range []struct {
			a     messaging.Algorithm
			users int
			want  time.Duration
		}{
			{lamport.NewSuppressed, n, T},
			{lamport.NewSuppressed, n - 1, 2 * T},
			{lamport.New, n - 1, 2 * T},
			{lamport.New, n, T}, // for a REQUEST is a younger message, too
			{ricartagrawala.New, n, 2 * T},
		} {
			r := run(t, sim.Config{Algorithm: c.a, Nodes: n, Load: together(all(c.users)...)})
			assert.Equal(t, c.want, r.Waiting.Shortest, "%d of %d nodes ask: the first enters after %s, want %s", c.users, n, inT(r.Waiting.Shortest), inT(c.want))
		}
	}
}

// 2T+E is a mean only for a node that asks one other. A node that asks many waits
// for the last reply: if latencies vary, that takes longer than 2T, and increases
// with the number of nodes. Prabhakaran, slide 6, calls it "round-trip message
// delay", which would have to be the longest of N-1.
func TestPrabhakaran6ResponseOfManyReplies(t *testing.T) {
	mean := func(name string, n int) float64 {
		r := run(t, sim.Config{
			Algorithm: protocol(t, name).New(n), Nodes: n, Load: sim.LowLoad{Users: []messaging.ID{1}}, Entries: 2000, Latency: sim.Exponential(T),
		})
		return r.Waiting.Mean
	}
	assert.InDelta(t, 2, mean("central", 20), 0.1, "T with a coordinator")
	last := mean("ricartagrawala", 2)
	assert.InDelta(t, 2, last, 0.1, "T with one to ask")
	for _, n := range []int{4, 8, 16, 32} {
		got := mean("ricartagrawala", n)
		t.Logf("%d nodes: one that asks all enters after %.2f T; one that asks a quorum after %.2f T", n, got, mean("maekawa", n))
		if got < last+0.5 {
			t.Errorf("%d nodes: %.3f T, but with half as many it is %.3f T", n, got, last)
		}
		last = got
	}
}

// Reiser 2002, slide 5.4, and Prabhakaran, slide 4: under load the throughput is
// 1/(sd+E). This holds for each algorithm and each E, with the measured sd.
func TestReiser5_4Throughput(t *testing.T) {
	for _, name := range names() {
		if protocol(t, name).Excludes(2) != nil {
			continue // several may be inside
		}
		for _, n := range tier.Pick([]int{2, 7}, []int{2, 7, 13}) {
			for _, stay := range []time.Duration{0, T / 10, T, 10 * T} {
				for _, latency := range latencies {
					if stay == 0 && n == 2 {
						continue // one may enter and leave before the other asks
					}
					r := run(t, sim.Config{
						Algorithm: protocol(t, name).New(n), Nodes: n, Load: sim.HighLoad{}, Entries: 20 * n, Stay: sim.Constant(stay), Latency: latency,
						Perpetual: protocol(t, name).Perpetual,
					})
					assert.Equal(t, r.Entries-1, r.SyncDelay.Count, "%s with %d nodes: exits that left a node waiting", name, n)
					e := float64(stay) / float64(T)
					if got, want := r.Throughput, 1/(r.SyncDelay.Mean+e); !near(got, want) {
						t.Errorf("%s with %d nodes, E = %g T: %.6f entries a T, want %.6f", name, n, e, got, want)
					}
				}
			}
		}
	}
}

// Prabhakaran, slide 34, and Reiser 2002, slides 5.23 and 5.36: a delay of 2T for
// Maekawa's algorithm, and of T for that of Cao and Singhal. That is if all is said
// that can be said before a node leaves, which takes time: under high load it is so
// if E is long beside T. If not, locks have still to be given back, and it takes
// longer in both, pair by pair. (Nodes rest a while by chance here, for else it would
// be the same pairs in each round.) It does not happen to those that ask all.
func TestPrabhakaran34DelayUnderLoad(t *testing.T) {
	const n = 13
	s := system(t, quorum.New, n)
	for _, stay := range []time.Duration{T / 10, T, 10 * T, 100 * T} {
		excess := func(name string, pair func(leaver, enterer messaging.ID) int) float64 {
			r := run(t, sim.Config{
				Algorithm: protocol(t, name).New(n), Nodes: n, Entries: 2000, Pairs: true,
				Load: sim.HighLoad{Think: sim.Uniform(0, n*(stay+T))}, Stay: sim.Constant(stay),
			})
			sum := 0
			for p, d := range r.Pairs {
				sum += d.Count * pair(p[0], p[1])
			}
			want := float64(sum) / float64(r.SyncDelay.Count)
			t.Logf("E = %s: %s: %.3f T, of these pairs without load %.3f T", inT(stay), name, r.SyncDelay.Mean, want)
			return r.SyncDelay.Mean - want
		}
		one := func(_, _ messaging.ID) int { return 1 }
		maekawa := excess("maekawa", func(leaver, enterer messaging.ID) int {
			if third(shared(s.Of(leaver), s.Of(enterer)), leaver, enterer) {
				return 2
			}
			return 1
		})
		caosinghal, askingAll := excess("caosinghal", one), excess("ricartagrawala", one)
		if stay > 10*T && max(maekawa, caosinghal) > 0.02 || stay < T && min(maekawa, caosinghal) < 0.01 || askingAll > 0.02 {
			t.Errorf("E = %s: %.3f, %.3f and %.3f T longer than without load", inT(stay), maekawa, caosinghal, askingAll)
		}
	}
}
