package heartbeat_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging/election"
	"example.org/doorway/messaging/election/bully"
	"example.org/doorway/messaging/election/heartbeat"
)

var seconds = heartbeat.Over(bully.New(time.Second, 2*time.Second), heartbeat.Config{Period: time.Second, Timeout: 2 * time.Second})

// If messages are faster than timers, nodes that crash are the only ones that are suspected, so
// that there is one leader at a time, whichever nodes crash and when. With nodes that start again, at
// most one a term.
func TestExplored(t *testing.T) {
	type size struct{ nodes, crashes, restarts int }
	sizes := []size{{1, 0, 0}, {2, 0, 0}, {2, 1, 0}, {2, 1, 1}, {3, 1, 0}, {3, 2, 0}, {3, 1, 1}}
	larger := []size{{3, 2, 2}, {4, 1, 0}, {4, 3, 0}}
	for _, s := range append(sizes, tier.Pick(nil, larger)...) {
		results := election.OneAtATime
		if s.restarts > 0 {
			results = election.Results
		}
		r, err := explore.CheckNodes(explore.NodesConfig{
			New: seconds, Nodes: s.nodes, Crashes: s.crashes, Restarts: s.restarts, Perpetual: true, Results: results,
		})
		require.NoError(t, err, "%+v", s)
		require.Empty(t, r.Failures(), "%+v", s)
		assert.Equal(t, explore.Holds, r.Results.Status)
		t.Logf("%d nodes, %d of which may crash, and %d start again: %d states", s.nodes, s.crashes, s.restarts, r.States)
	}
}

// If timers may expire before messages arrive, a live leader is suspected, and two lead at the same
// time, in different terms. So do the successor of a leader and that leader when it starts again.
func TestWhatOneLeaderNeeds(t *testing.T) {
	for _, c := range []explore.NodesConfig{{AnyTime: true}, {Crashes: 1, Restarts: 1}} {
		c.New, c.Nodes, c.Perpetual, c.Results = seconds, 2, true, election.OneAtATime
		r, err := explore.CheckNodes(c)
		require.NoError(t, err)
		require.NotNil(t, r.Results.History)
		assert.Equal(t, "the results are wrong: nodes 0 and 1 lead at the same time", r.Results.History.Title)
	}
}
