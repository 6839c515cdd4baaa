package clock_test

import (
	"cmp"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/clock"
	"example.org/doorway/messaging/cluster"
	"example.org/doorway/messaging/permission/lamport"
	"example.org/doorway/messaging/permission/ricartagrawala"
	"example.org/doorway/messaging/sim"
	"example.org/doorway/messaging/token/suzukikasami"
)

// follows returns, for each event, which events happened before it, as L. Lamport defines it in
// 1978: the earlier ones of its node, the sending of what is delivered, and what happened before
// these. It follows the edges, and knows no timestamps.
func follows(events []messaging.Event) [][]bool {
	before := make([][]bool, len(events))
	last := map[messaging.ID]int{}
	for k, e := range events {
		before[k] = make([]bool, len(events))
		add := func(j int) {
			before[k][j] = true
			for i, b := range before[j] {
				before[k][i] = before[k][i] || b
			}
		}
		if e.Cause != 0 {
			add(int(e.Cause) - 1)
		}
		if e.Action == "lost" || e.Action == "duplicated" {
			continue
		}
		at := e.From
		if e.Action == "delivered" || e.Action == "told" {
			at = e.To
		}
		if j, has := last[at]; has {
			add(j)
		}
		last[at] = k
	}
	return before
}

// checkVectors compares the vector timestamps of events with follows, and returns how many pairs are
// concurrent.
func checkVectors(t *testing.T, nodes int, events []messaging.Event) (concurrent int) {
	t.Helper()
	before, stamps := follows(events), clock.Vectors(nodes, events)
	require.Len(t, stamps, len(events))
	for k, e := range events {
		if e.Action == "lost" || e.Action == "duplicated" {
			require.Equal(t, stamps[e.Cause-1], stamps[k])
			continue
		}
		for j, f := range events[:k] {
			if f.Action == "lost" || f.Action == "duplicated" {
				continue
			}
			if before[k][j] != stamps[j].Before(stamps[k]) || before[k][j] == stamps[j].Concurrent(stamps[k]) || stamps[k].Before(stamps[j]) {
				t.Fatalf("%v at %+v and %v at %+v: the first happened before the second: %v", stamps[j], f, stamps[k], e, before[k][j])
			}
			if !before[k][j] {
				concurrent++
			}
		}
	}
	return concurrent
}

// Vectors decide happened-before in random runs, with crashes, timers, and messages that are lost or
// arrive twice.
func TestVectorsDecideHappenedBefore(t *testing.T) {
	concurrent := 0
	for seed := range uint64(20) {
		for _, a := range []messaging.Algorithm{ricartagrawala.New, ricartagrawala.NewAcknowledged(4*sim.T, 20*sim.T), lamport.New, suzukikasami.New} {
			var events []messaging.Event
			_, err := sim.Run(sim.Config{
				Algorithm: a, Nodes: 4, Load: sim.HighLoad{}, Entries: 6, Seed: seed, Unordered: seed%2 == 0,
				Latency: sim.Exponential(sim.T), Loss: 0.02, Duplication: 0.05, Detection: sim.Constant(sim.T),
				Crashes: []sim.Crash{{Node: 3, At: 5 * sim.T, Restart: 9 * sim.T}}, Until: 60 * sim.T,
				Observe: func(e messaging.Event) { events = append(events, e) },
			})
			if err != nil {
				t.Log("a run that fails, since most of these tolerate no faults:", err)
			}
			concurrent += checkVectors(t, 4, events)
		}
	}
	assert.Greater(t, concurrent, 10_000)
}

// Likewise in a Cluster.
func TestVectorsInCluster(t *testing.T) {
	var mu sync.Mutex
	var events []messaging.Event
	c := cluster.New(3, ricartagrawala.New, cluster.Observe(func(e messaging.Event) {
		mu.Lock()
		defer mu.Unlock()
		events = append(events, e)
	}))
	var all sync.WaitGroup
	for i := range 3 {
		all.Go(func() {
			for range 5 {
				c.Lock(i)
				c.Unlock(i)
			}
		})
	}
	all.Wait()
	c.Close()
	stamps := clock.Vectors(3, events)
	byNumber := func(e, f messaging.Event) int { return cmp.Compare(e.Number, f.Number) }
	sorted := slices.SortedStableFunc(slices.Values(events), byNumber) // goroutines observe events in another order
	checkVectors(t, 3, sorted)
	want := clock.Vectors(3, sorted)
	for k, e := range events {
		assert.Equal(t, want[e.Number-1], stamps[k])
	}
}

// Events of different nodes that are observed in another order, if none is the cause of the other, have the same timestamps.
func TestVectorsInAnyOrder(t *testing.T) {
	var events []messaging.Event
	_, err := sim.Run(sim.Config{
		Algorithm: ricartagrawala.New, Nodes: 4, Load: sim.HighLoad{}, Entries: 6,
		Observe: func(e messaging.Event) { events = append(events, e) },
	})
	require.NoError(t, err)
	stamps, swapped := clock.Vectors(4, events), 0
	for k := 1; k < len(events); k++ {
		e, f := events[k-1], events[k]
		if !stamps[k-1].Concurrent(stamps[k]) {
			continue
		}
		events[k-1], events[k] = f, e
		other := clock.Vectors(4, events)
		require.Equal(t, []clock.Vector{stamps[k], stamps[k-1]}, other[k-1:k+1])
		require.Equal(t, stamps[k+1:], other[k+1:])
		events[k-1], events[k] = e, f
		swapped++
	}
	assert.Greater(t, swapped, 10)
}

// A timestamp is before another if no component is larger, and one is smaller.
func TestVector(t *testing.T) {
	for _, test := range []struct {
		v, w               clock.Vector
		before, concurrent bool
	}{
		{clock.Vector{1, 0}, clock.Vector{1, 1}, true, false},
		{clock.Vector{1, 0}, clock.Vector{2, 0}, true, false},
		{clock.Vector{1, 1}, clock.Vector{1, 0}, false, false},
		{clock.Vector{1, 0}, clock.Vector{0, 1}, false, true},
		{clock.Vector{1, 0}, clock.Vector{1, 0}, false, false},
	} {
		assert.Equal(t, test.before, test.v.Before(test.w), "%v, %v", test.v, test.w)
		assert.Equal(t, test.concurrent, test.v.Concurrent(test.w), "%v, %v", test.v, test.w)
	}
	v := clock.Vector{1, 5, 3}
	v.Witness(clock.Vector{4, 2, 3})
	assert.Equal(t, clock.Vector{4, 5, 3}, v)
}
