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
		return run(t, sim.Config{
			Algorithm: protocol(t, name).New(n), Nodes: n, Load: sim.LowLoad{Users: []messaging.ID{1}}, Entries: 2000, Latency: sim.Exponential(T),
		}).Waiting.Mean
	}
	assert.InDelta(t, 2, mean("central", 20), 0.1, "T with a coordinator")
	last := mean("ricartagrawala", 2)
	assert.InDelta(t, 2, last, 0.1, "T with one to ask")
	for _, n := range []int{4, 8, 16, 32} {
		got := mean("ricartagrawala", n)
		assert.Greater(t, got, last+0.5, "T with %d nodes, and with half as many", n)
		last = got
	}
}
