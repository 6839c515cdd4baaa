package central_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/central"
	"example.org/doorway/messaging/sim"
)

// Two message delays from an exit to the next entry, one if the coordinator is
// the one or the other.
func TestDelay(t *testing.T) {
	r := run(t, sim.Config{
		Algorithm: central.New, Nodes: 4, Load: sim.HighLoad{}, Entries: 100, Pairs: true,
	})
	for p, times := range r.Pairs {
		want := 2 * sim.T
		if p[0] == 0 || p[1] == 0 {
			want = sim.T
		}
		assert.Equal(t, want, times.Shortest, "the shortest from %d to %d", p[0], p[1])
		assert.Equal(t, want, times.Longest, "the longest from %d to %d", p[0], p[1])
	}
	assert.GreaterOrEqual(t, len(r.Pairs), 4, "pairs")
}

// The request that reaches the coordinator first enters first, whichever was made
// first.
func TestOrder(t *testing.T) {
	r := run(t, sim.Config{
		Algorithm: central.New, Nodes: 3,
		Load:   sim.Script{{Node: 1}, {Node: 2, At: sim.T}},
		Except: []sim.Exception{{Kind: "REQUEST", From: []messaging.ID{1}, Latency: sim.Constant(3 * sim.T)}},
		Order:  true,
	})
	if r.Order[0].Node != 2 || r.Order[1].Node != 1 {
		t.Errorf("order: %v", r.Order)
	}
}

// Some crashes block the others, some do not.
func TestCrash(t *testing.T) {
	for _, c := range []struct {
		what    string
		crash   sim.Crash
		entries int
	}{
		{"a node that never asked", sim.Crash{Node: 1, At: 5 * sim.T}, 3},
		{"a node that has left", sim.Crash{Node: 2, At: 4 * sim.T}, 3},
		{"the coordinator", sim.Crash{Node: 0, At: 5 * sim.T}, 1},
		{"one that is inside", sim.Crash{Node: 3, At: 13 * sim.T}, 2},
		{"one that waits", sim.Crash{Node: 4, At: 13 * sim.T}, 2},
	} {
		r, err := sim.Run(sim.Config{
			Algorithm: central.New, Nodes: 6, Crashes: []sim.Crash{c.crash}, Stay: sim.Constant(sim.T),
			Load: sim.Script{{Node: 2}, {Node: 3, At: 10 * sim.T, Stay: 5 * sim.T}, {Node: 4, At: 11 * sim.T}, {Node: 5, At: 12 * sim.T}},
		})
		blocked := sim.Failure(err) == "deadlock"
		if blocked != (c.entries < 3) || r.Entries < c.entries {
			t.Errorf("%s crashes: %d entries, and %v", c.what, r.Entries, err)
		}
	}
}

// The coordinator gets Requests, Cancels and Releases in orders that occur only
// without FIFO links. It still loses none and keeps none: in the end it grants the
// last request of node 2.
func TestOvertaking(t *testing.T) {
	request, release, cancel := sent[central.Request], sent[central.Release], sent[central.Cancel]
	for _, c := range []struct {
		name     string
		messages []arrival
	}{
		{"a cancel before its request", []arrival{cancel(1, 1), request(1, 1)}},
		{"a request before the cancel of the one before", []arrival{request(1, 1), request(1, 2), cancel(1, 1), release(1, 2)}},
		{"a request before the release of the one before", []arrival{request(1, 1), request(1, 2), release(1, 1), release(1, 2)}},
		{"two requests and cancels backwards", []arrival{cancel(1, 2), request(1, 2), cancel(1, 1), request(1, 1)}},
		{"a request before the one before", []arrival{request(1, 2), request(1, 1), release(1, 2), cancel(1, 1)}},
		{"many that wait at once", []arrival{
			request(1, 1), request(2, 1), request(2, 2), request(2, 4), request(2, 3), cancel(2, 1), cancel(2, 3), release(1, 1), cancel(2, 4), cancel(2, 2),
		}},
	} {
		site := messaging.NewSite(central.New, messaging.Start{Nodes: 3}, nil)
		for _, m := range append(c.messages, request(2, 9)) {
			site.Done()
			site.Receive(m.from, m.message)
		}
		reply := central.Reply{To: messaging.Stamp{Time: 9, ID: 2}}
		assert.Equal(t, []messaging.Send{{To: 2, Message: reply}}, site.Sends, "%s: what the coordinator sends in the end", c.name)
	}
}

type arrival struct {
	from    messaging.ID
	message messaging.Message
}

func sent[M ~struct{ Of messaging.Stamp }](from messaging.ID, time messaging.Time) arrival {
	return arrival{from, M{Of: messaging.Stamp{Time: time, ID: from}}}
}

// However many requests of a node are withdrawn while their Cancels are in transit,
// only one is in the queue.
func TestQueueIsBounded(t *testing.T) {
	site := messaging.NewSite(central.New, messaging.Start{Nodes: 3}, nil)
	size := func() int { return len(fmt.Sprintf("%+v", site.Node())) }
	site.Receive(1, sent[central.Request](1, 1).message)
	site.Receive(2, sent[central.Request](2, 10).message)
	before := size()
	for k := messaging.Time(11); k < 99; k++ {
		site.Receive(2, sent[central.Request](2, k).message)
	}
	assert.Equal(t, before, size(), "the coordinator grows:\n%+v", site.Node())
}

func run(t *testing.T, c sim.Config) sim.Report {
	t.Helper()
	r, err := sim.Run(c)
	require.NoError(t, err, r)
	return r
}
