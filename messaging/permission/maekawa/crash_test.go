package maekawa

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/node/host"
	"example.org/doorway/internal/node/state"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/quorum"
)

// explored visits all schedules of an instance with a crash of any node at any time, of which
// each node learns at any time after it.
func explored(t *testing.T, a messaging.Algorithm, requests []int, change func(*explore.NodesConfig)) *explore.NodesReport {
	t.Helper()
	c := explore.NodesConfig{New: a, Nodes: len(requests), Requests: requests, Crashes: 1, Detected: true, Workers: 1}
	if change != nil {
		change(&c)
	}
	r, err := explore.CheckNodes(c)
	require.NoError(t, err)
	return r
}

// A crash in any phase costs neither mutual exclusion nor progress, whoever learns of it when. Nor does
// one within a broadcast: what was not sent is as what is in transit until its receiver learns of the
// crash, and then drops it.
func TestEveryCrash(t *testing.T) {
	unordered := func(c *explore.NodesConfig) { c.Unordered = true }
	withdrawn := func(c *explore.NodesConfig) { c.Withdrawals = 1 }
	twice := func(c *explore.NodesConfig) { c.Crashes = 2 }
	for _, c := range []struct {
		build    func(int) (quorum.System, error)
		requests []int
		change   func(*explore.NodesConfig)
		full     bool
	}{
		{quorum.Plane, []int{1, 1, 0}, unordered, false},
		{quorum.Plane, []int{1, 0, 0}, withdrawn, false},
		{quorum.Tree, []int{1, 1, 1}, nil, false},
		{quorum.Grid, []int{1, 1, 0, 0}, nil, true},
		{quorum.Majority, []int{1, 0, 1, 0, 0}, nil, true},
		{quorum.Tree, []int{0, 1, 1, 0, 0}, nil, true},
		{quorum.Plane, []int{1, 1, 1}, unordered, true},
		{quorum.Plane, []int{2, 1, 1}, nil, true},
		{quorum.Plane, []int{1, 1, 1}, withdrawn, true},
		{quorum.Plane, []int{2, 2, 2}, nil, true},
		{quorum.Plane, []int{2, 1, 1}, unordered, true},
		{quorum.Tree, []int{1, 1, 1}, unordered, true},
		{quorum.Grid, []int{1, 1, 0, 0}, unordered, true},
		{quorum.Majority, []int{1, 1, 1, 0}, nil, true},
		{quorum.Majority, []int{1, 1, 0, 0, 0}, twice, true},
		{quorum.Tree, []int{1, 1, 0, 0, 0}, unordered, true},
		{quorum.Plane, []int{1, 1, 0, 0, 0, 0, 0}, nil, true},
		{quorum.Tree, []int{0, 0, 0, 1, 0, 0, 1}, nil, true},
		{quorum.Plane, []int{1, 0, 0, 0, 0, 0, 0}, twice, true}, // it moves back to arbiters that it has left
	} {
		s := system(t, c.build, len(c.requests))
		if c.full && !tier.Full {
			continue
		}
		r := explored(t, New(s), c.requests, c.change)
		assert.NoError(t, r.Err(), "%v, requests %v", s, c.requests)
	}
}

// newArbiter returns node 1 of three, each of which asks all, which has granted its lock to 5.0 of
// node 0; 6.2 of node 2 waits.
func newArbiter(t *testing.T) *host.Site {
	t.Helper()
	s := host.NewSite(New(system(t, all, 3)), messaging.Start{Self: 1, Nodes: 3}, nil)
	s.Receive(0, request{Of: messaging.Stamp{Time: 5, ID: 0}})
	s.Receive(2, request{Of: messaging.Stamp{Time: 6, ID: 2}})
	s.Done()
	return s
}

// An arbiter that is told of the crash of the node that has its lock grants it to the next, and
// no message of that node changes anything afterwards, nor does it to be told again.
func TestDownAtAnArbiter(t *testing.T) {
	s := newArbiter(t)
	s.Down(0)
	assert.Equal(t, []host.Send{{To: 2, Message: locked{To: messaging.Stamp{Time: 6, ID: 2}}}}, s.Sends)
	assert.Equal(t, []any{messaging.Removed{Node: 0}}, s.Emits)
	s.Done()
	before := state.Append(nil, s.Node())
	for _, m := range []messaging.Message{
		request{Of: messaging.Stamp{Time: 4, ID: 0}},
		request{Of: messaging.Stamp{Time: 7, ID: 0}},
		release{Of: messaging.Stamp{Time: 5, ID: 0}},
		relinquish{Of: messaging.Stamp{Time: 5, ID: 0}},
	} {
		s.Receive(0, m)
		assert.Empty(t, s.Sends, "sent for %T", m)
	}
	s.Down(0)
	s.Down(1) // itself: it has not
	assert.Empty(t, s.Sends)
	assert.Empty(t, s.Emits)
	assert.Equal(t, before, state.Append(nil, s.Node()))
}

// Node 0 of seven asks 0, 1 and 3. When 3 crashes it asks 4 and 5; when 5 crashes too, 2 and 6;
// and when 6 crashes, nodes that it has asked already are the quorum. A lock that it has got
// from a node that crashes counts. All that it has asked get its Release, but not the dead. That a
// crashed arbiter had refused its lock is no reason to relinquish others, nor does it get its own back.
func TestRequestMoves(t *testing.T) {
	mine := messaging.Stamp{Time: 1}
	for _, c := range []string{ // what happens, and to whom node 0 sends a Request or Release
		"locked 1, down 3: 4 5, locked 3, locked 4, locked 5, leave: 1 4 5, request: 4 5, locked 4",
		"down 3: 4 5, down 5: 2 6, down 6, locked 2, locked 4, locked 1, leave: 1 4 2",
		"locked 3, down 3, locked 1, leave: 1",
		"down 3: 4 5, locked 4, down 4, locked 5, leave: 1 5",
		"down 2, locked 1, locked 3, down 3, leave: 1",
		"locked 1, failed 3, down 3: 4 5, inquire 1",
		"locked 3, inquire 3, down 3, failed 1",
	} {
		s := host.NewSite(New(system(t, quorum.Plane, 7)), messaging.Start{Nodes: 7}, nil)
		s.Request() // and it has its own lock
		s.Done()
		for step := range strings.SplitSeq(c, ", ") {
			do, want, _ := strings.Cut(step, ": ")
			do, by, _ := strings.Cut(do, " ")
			q, _ := strconv.Atoi(by)
			from, kind := messaging.ID(q), "REQUEST"
			switch do {
			case "down":
				s.Down(from)
			case "locked":
				require.Equal(t, messaging.Waiting, s.Phase(), "%s: %s", c, step)
				s.Receive(from, locked{To: mine})
			case "failed":
				s.Receive(from, failed{To: mine})
			case "inquire":
				s.Receive(from, inquire{To: mine})
			case "request":
				s.Request()
			case "leave":
				require.Equal(t, messaging.Inside, s.Phase(), "%s: %s", c, step)
				s.Release()
				kind = "RELEASE"
			}
			var to []string
			for _, m := range s.Sends {
				assert.Equal(t, kind, messaging.Kind(m.Message), "%s: %s", c, step)
				to = append(to, strconv.Itoa(int(m.To)))
			}
			assert.Equal(t, want, strings.Join(to, " "), "%s: %s", c, step)
			s.Done()
		}
	}
}

// Asking is asked for another quorum only if the request lacks the lock of a crashed arbiter that
// is in its quorum, and told what it must know.
func TestAskingForAnother(t *testing.T) {
	var calls [][]messaging.ID
	answers := [][]messaging.ID{{0, 1, 2}, {0, 3}, {0, 4}}
	ask := func(_ messaging.Start, asked []messaging.ID, down messaging.Set, _ func(int) int) []messaging.ID {
		calls = append(calls, slices.Clone(asked), slices.Collect(down.All()))
		return answers[len(calls)/2-1]
	}
	s := host.NewSite(Asking(ask), messaging.Start{Nodes: 6}, nil)
	s.Request()
	s.Down(5) // not asked
	s.Down(2)
	s.Down(1) // not in its quorum any more
	s.Down(3)
	want := [][]messaging.ID{nil, nil, {0, 1, 2}, {2, 5}, {0, 1, 2, 3}, {1, 2, 3, 5}}
	assert.Equal(t, want, calls, "asked and down of each call")
}

// As long as no node has crashed, a request allocates a Request, its own Locked and a Release,
// and the function that chooses at random, but no quorum.
func TestNoCrashCostsNothing(t *testing.T) {
	s := host.NewSite(New(system(t, quorum.Plane, 13)), messaging.Start{Nodes: 13}, nil)
	got := testing.AllocsPerRun(1000, func() {
		s.Request()
		s.Withdraw()
		s.Done()
	})
	assert.LessOrEqual(t, got, 4.0)
}

// Without a quorum a request waits, and a later one asks no node.
func TestNoQuorum(t *testing.T) {
	s := host.NewSite(New(system(t, quorum.Plane, 3)), messaging.Start{Nodes: 3}, nil)
	s.Request()
	s.Done()
	s.Down(1)
	s.Done()
	s.Down(2)
	assert.Empty(t, s.Sends)
	assert.Equal(t, messaging.Waiting, s.Phase())
	s.Withdraw()
	s.Request()
	assert.Empty(t, s.Sends)
	assert.Equal(t, messaging.Waiting, s.Phase())
	s.Withdraw()
}
