package intervals_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/intervals"
	"example.org/doorway/messaging/sim"
)

// bookings are those of three players of a tennis court, in minutes of a day: the second
// intersects with both others, which adjoin.
var bookings = []intervals.Interval{{From: 628, To: 737}, {From: 700, To: 760}, {From: 737, To: 800}}

// While the first player is on the court, the third enters as if alone, and the second when
// both have left. Only the second waits, for a synchronization delay of T.
func TestTwoOnTheCourt(t *testing.T) {
	r, err := sim.Run(sim.Config{
		Algorithm: intervals.New(bookings), Nodes: 3, Order: true, Pairs: true,
		Load: sim.Script{{Node: 0, Stay: 10 * sim.T}, {Node: 1, At: 3 * sim.T}, {Node: 2, Stay: 20 * sim.T}},
	})
	require.NoError(t, err)
	require.Len(t, r.Order, 3)
	for k, want := range []struct {
		node messaging.ID
		at   time.Duration
	}{{0, 2}, {2, 2}, {1, 23}} {
		assert.Equal(t, want.node, r.Order[k].Node, "entry %d", k)
		assert.Equal(t, want.at*sim.T, r.Order[k].Entered, "entry %d", k)
	}
	assert.Equal(t, sim.Times{Count: 1, Sum: sim.T, Shortest: sim.T, Longest: sim.T, Mean: 1}, r.SyncDelay)
	assert.Contains(t, r.Pairs, [2]messaging.ID{2, 1})
	assert.Zero(t, r.Bypasses)
}

// Requests bypass only those of players whose bookings intersect: the third enters while the
// second, which has asked before, waits for the first. The third leaves half a T before the second
// enters, but the synchronization delay is from the exit of the first.
func TestThirdIsElsewhere(t *testing.T) {
	needs := []intervals.Interval{{From: 0, To: 2}, {From: 1, To: 3}, {From: 4, To: 5}}
	r, err := sim.Run(sim.Config{
		Algorithm: intervals.New(needs), Nodes: 3, Order: true,
		Load: sim.Script{{Node: 0, Stay: 10 * sim.T}, {Node: 1, At: 3 * sim.T}, {Node: 2, At: 4 * sim.T, Stay: 13 * sim.T / 2}},
	})
	require.NoError(t, err)
	require.Len(t, r.Order, 3)
	assert.Equal(t, messaging.ID(2), r.Order[1].Node)
	assert.Equal(t, sim.Times{Count: 1, Sum: sim.T, Shortest: sim.T, Longest: sim.T, Mean: 1}, r.SyncDelay)
	assert.Zero(t, r.Bypasses)
}

func TestNewPanics(t *testing.T) {
	assert.PanicsWithValue(t, "intervals: node 1 needs the interval from 5 to 5: it must end after it begins",
		func() { intervals.New([]intervals.Interval{{From: 1, To: 2}, {From: 5, To: 5}}) })
	assert.PanicsWithValue(t, "intervals: node 0 of 2: the intervals are those of 3 nodes",
		func() { intervals.New(bookings)(messaging.Start{Nodes: 2}) })
}

// The caller may change the needs after New.
func TestNewKeepsTheNeeds(t *testing.T) {
	needs := []intervals.Interval{{From: 0, To: 2}, {From: 1, To: 3}}
	a := intervals.New(needs)
	needs[1] = intervals.Interval{From: 7, To: 8}
	node := a(messaging.Start{Nodes: 2}).(messaging.Sharer)
	assert.True(t, node.Excludes(1))
}
