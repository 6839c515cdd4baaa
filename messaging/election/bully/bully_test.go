package bully_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/election"
	"example.org/doorway/messaging/election/bully"
	"example.org/doorway/messaging/sim"
)

// timed has timeouts for messages that take T at most.
var timed = bully.New(3*sim.T, 6*sim.T)

// held runs an election that some nodes hold after others have crashed.
func held(t *testing.T, nodes int, crashed, holders []messaging.ID) sim.Report {
	t.Helper()
	c := sim.Config{Algorithm: timed, Nodes: nodes, Results: election.OneAtATime}
	for _, i := range crashed {
		c.Crashes = append(c.Crashes, sim.Crash{Node: i})
	}
	for _, i := range holders {
		c.Inputs = append(c.Inputs, sim.Input{Node: i, At: sim.T, Message: election.Hold{}})
	}
	r, err := sim.Run(c)
	require.NoError(t, err, "%d nodes, %v crashed, %v hold it", nodes, crashed, holders)
	require.Len(t, r.Emits, nodes-len(crashed), "%d nodes: every node learns of the leader once", nodes)
	return r
}

// The counts of the slides of HAW Hamburg, "Bully-Algorithmus: Beispiel": N-2 messages at best,
// when the node before the one that has crashed holds the election, and N²-N-1 at worst, when
// the smallest does. At best there is an Election, too, which the slides do not count: that to
// the node that has crashed.
func TestCounts(t *testing.T) {
	for n := 2; n <= 20; n++ {
		last := messaging.ID(n - 1)
		best := held(t, n, []messaging.ID{last}, []messaging.ID{last - 1})
		assert.Equal(t, n-2, best.Kinds["COORDINATOR"], "%d nodes", n)
		assert.Equal(t, 1, best.Kinds["ELECTION"], "%d nodes", n)
		assert.Equal(t, n-1, best.Messages, "%d nodes", n)

		worst := held(t, n, []messaging.ID{last}, []messaging.ID{0})
		assert.Equal(t, n*(n-1)/2, worst.Kinds["ELECTION"], "%d nodes", n)
		assert.Equal(t, (n-1)*(n-2)/2, worst.Kinds["ANSWER"], "%d nodes", n)
		assert.Equal(t, n-2, worst.Kinds["COORDINATOR"], "%d nodes", n)
		assert.Equal(t, n*n-n-1, worst.Messages, "%d nodes", n)
	}
}

// The example of A. S. Tanenbaum (slides of B. Prabhakaran, 46 and 47): of nodes 0 to 7, node 7
// has crashed and node 4 holds an election, with 15 messages.
func TestTanenbaum(t *testing.T) {
	r := held(t, 8, []messaging.ID{7}, []messaging.ID{4})
	assert.Equal(t, map[string]int{"ELECTION": 6, "ANSWER": 3, "COORDINATOR": 6}, r.Kinds)
	assert.Equal(t, election.Elected{Leader: 6, Term: 6}, r.Emits[0].Message)
}

// A node that has answered crashes before it leads: the others hold another election when T' is
// over.
func TestCrashAfterAnswer(t *testing.T) {
	r, err := sim.Run(sim.Config{
		Algorithm: timed, Nodes: 3, Results: election.OneAtATime,
		Crashes: []sim.Crash{{Node: 2}, {Node: 1, At: 2 * sim.T}},
		Inputs:  []sim.Input{{Node: 0, Message: election.Hold{}}},
	})
	require.NoError(t, err)
	require.Len(t, r.Emits, 1)
	assert.Equal(t, election.Elected{Leader: 0, Term: 3}, r.Emits[0].Message)
	assert.Equal(t, (2+6+3)*sim.T, r.Emits[0].At, "an Answer after 2 T, T', T")
}

// so far is what is right of an election before it is over: without a detector, the crash of a
// leader may remain unnoticed.
func soFar(results messaging.Results) messaging.Results {
	return func(o messaging.Outcome) error {
		o.Over = false
		return results(o)
	}
}

// At most one leader a term survives crashes, restarts and a wrong detector. At most one at a time
// needs that no live node is said to be down, and that none starts again; and no early
// timeouts, see ExampleNew_early.
func TestWhatOneLeaderNeeds(t *testing.T) {
	for _, test := range []struct {
		c     explore.NodesConfig
		holds messaging.ID
		fails string // of one at a time; "": it holds
	}{
		{explore.NodesConfig{Nodes: 3, Crashes: 2}, 1, ""},
		{explore.NodesConfig{Nodes: 2, Suspicions: 1}, 1, "S1 and S2 lead at the same time"},
		{explore.NodesConfig{Nodes: 3, Crashes: 1, Restarts: 1}, 0, "S2 and S3 lead at the same time"},
	} {
		c := test.c
		c.New, c.Inputs = bully.New(time.Second, 2*time.Second), make([][]messaging.Message, c.Nodes)
		c.Inputs[test.holds] = []messaging.Message{election.Hold{}}
		c.Results = soFar(election.Results)
		r, err := explore.CheckNodes(c)
		require.NoError(t, err)
		require.Equal(t, explore.Holds, r.Results.Status)
		c.Results = soFar(election.OneAtATime)
		r, err = explore.CheckNodes(c)
		require.NoError(t, err)
		h := r.Results.History
		if test.fails == "" {
			require.Nil(t, h)
			continue
		}
		require.NotNil(t, h)
		assert.Equal(t, "the results are wrong: "+test.fails, h.Title)
	}
}

func TestMisuse(t *testing.T) {
	for _, test := range [][2]time.Duration{{0, 1}, {1, 1}, {2, 1}} {
		assert.PanicsWithValue(t, "bully: New("+test[0].String()+", "+test[1].String()+"): want 0 < answer < coordinator", func() {
			bully.New(test[0], test[1])
		})
	}
}
