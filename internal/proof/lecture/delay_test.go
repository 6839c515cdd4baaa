package lecture_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/measure/costs"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/central"
	"example.org/doorway/messaging/permission/lamport"
	"example.org/doorway/messaging/permission/ricartagrawala"
	"example.org/doorway/messaging/sim"
)

// delays checks the synchronization delay of every pair, to the tick: it is
// want(leaving, entering) in T.
func delays(t *testing.T, c sim.Config, want func(leaver, enterer messaging.ID) int) {
	t.Helper()
	c.Load, c.Pairs = costs.EachAfterEach(c.Nodes), true
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

// Reiser 2002, slide 5.4, and Prabhakaran, slide 4: under load the throughput is
// 1/(sd+E). This holds for each algorithm and each E, with the measured sd.
func TestReiser5_4Throughput(t *testing.T) {
	for _, p := range catalog.Protocols {
		if p.Excludes(2) != nil {
			continue // several may be inside
		}
		for _, stay := range []time.Duration{0, T / 10, 10 * T} {
			r := run(t, sim.Config{
				Algorithm: p.New(7), Nodes: 7, Load: sim.HighLoad{}, Entries: 140, Stay: sim.Constant(stay), Latency: sim.Exponential(T), Perpetual: p.Perpetual,
			})
			assert.Equal(t, r.Entries-1, r.SyncDelay.Count, "%s: exits that left a node waiting", p.Name)
			e := float64(stay) / float64(T)
			assert.InDelta(t, 1/(r.SyncDelay.Mean+e), r.Throughput, 1e-9, "%s, E = %g T: entries a T", p.Name, e)
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
