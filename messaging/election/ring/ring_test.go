package ring_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/election"
	"example.org/doorway/messaging/election/ring"
	"example.org/doorway/messaging/nodetest"
	"example.org/doorway/messaging/sim"
)

var hold = []messaging.Message{election.Hold{}}

// held runs an election that the first holders on a ring hold at the same time. The largest leads.
func held(t *testing.T, a messaging.Algorithm, order []messaging.ID, holders int) sim.Report {
	t.Helper()
	c := sim.Config{Algorithm: a, Nodes: len(order), Results: election.OneAtATime}
	for _, i := range order[:holders] {
		c.Inputs = append(c.Inputs, sim.Input{Node: i, Message: election.Hold{}})
	}
	r, err := sim.Run(c)
	require.NoError(t, err, "%v, %d hold it", order, holders)
	require.Len(t, r.Emits, len(order), "%v, %d hold it: each node learns of the leader once", order, holders)
	require.Equal(t, messaging.ID(len(order)-1), r.Emits[0].Message.(election.Elected).Leader)
	return r
}

// order is a ring whose order is not that of the numbers: 0, 7, 14, … modulo n.
func order(n int) (ring []messaging.ID) {
	for k := range n {
		ring = append(ring, messaging.ID(k*7%n))
	}
	return ring
}

// The counts of the slides of HAW Hamburg, "Ring-Algorithmus", for m live nodes: an election goes
// around, and so does its result, 2m messages. If k nodes hold it, k go around, and all agree.
func TestCounts(t *testing.T) {
	for _, m := range []int{1, 2, 3, 5, 8, 13, 20} {
		for holders := 1; holders <= m; holders++ {
			r := held(t, ring.New(order(m)), order(m), holders)
			if m == 1 {
				assert.Zero(t, r.Messages)
				continue
			}
			assert.Equal(t, holders*m, r.Kinds["ELECTION"], "%d of %d nodes hold it", holders, m)
			assert.Equal(t, m, r.Kinds["COORDINATOR"], "%d of %d nodes hold it", holders, m)
			if holders == 1 {
				assert.Equal(t, 2*m, r.Messages, "%d nodes", m)
			}
		}
	}
}

// The count of F. Mattern's "1. Idee": N rounds of N messages, whoever wakes up first.
func TestNaiveCounts(t *testing.T) {
	for _, n := range []int{2, 3, 5, 8, 13, 20} {
		for holders := 1; holders <= n; holders++ {
			assert.Equal(t, n*n, held(t, ring.NewNaive(order(n)), order(n), holders).Messages, "%d of %d nodes hold it", holders, n)
		}
	}
}

// check explores an election that these nodes hold, each at any time.
func check(t *testing.T, c explore.NodesConfig, holders ...int) *explore.NodesReport {
	t.Helper()
	c.Inputs = make([][]messaging.Message, c.Nodes)
	for _, i := range holders {
		c.Inputs[i] = hold
	}
	r, err := explore.CheckNodes(c)
	require.NoError(t, err, "%d nodes, %v hold it", c.Nodes, holders)
	t.Logf("%d nodes, %d of which may crash, %v hold it: %d states", c.Nodes, c.Crashes, holders, r.States)
	return r
}

// With a perfect detector there is one leader at a time, and in the end it is live and all know
// it: any node may crash, at any time.
func TestExplored(t *testing.T) {
	type size struct {
		nodes, crashes int
		holders        []int
	}
	sizes := []size{
		{1, 0, []int{0}},
		{2, 1, []int{0, 1}},
		{3, 1, []int{0}},
		{3, 1, []int{0, 1, 2}},
		{3, 2, []int{0, 2}},
		{4, 1, []int{0}},
	}
	larger := []size{{3, 2, []int{0, 1, 2}}, {4, 1, []int{1, 3}}, {4, 2, []int{0}}}
	for _, s := range append(sizes, tier.Pick(nil, larger)...) {
		for _, unordered := range []bool{false, true} {
			if unordered && s.nodes*max(s.crashes, len(s.holders)) > tier.Pick(5, 6) {
				continue // 4 nodes, two of which hold it and one of which may crash, have 18,813,842 states
			}
			r := check(t, explore.NodesConfig{
				New: ring.New(nil), Nodes: s.nodes, Crashes: s.crashes, Detected: true, Unordered: unordered, Results: election.OneAtATime,
			}, s.holders...)
			require.Empty(t, r.Failures(), "%+v", s)
			assert.Equal(t, explore.Holds, r.Results.Status)
			assert.Equal(t, explore.Holds, r.Quiescent.Status)
		}
	}
}

func TestNaiveExplored(t *testing.T) {
	for n := 1; n <= tier.Pick(3, 4); n++ {
		for holders := 1; holders < 1<<n; holders++ {
			var of []int
			for i := range n {
				if holders>>i&1 == 1 {
					of = append(of, i)
				}
			}
			r := check(t, explore.NodesConfig{New: ring.NewNaive(nil), Nodes: n, Unordered: true, Results: election.Results}, of...)
			require.Empty(t, r.Failures(), "%d nodes, %v hold it", n, of)
			assert.Equal(t, explore.Holds, r.Results.Status)
		}
	}
}

func TestContract(t *testing.T) {
	var crashing, naive []nodetest.Config
	for seed := range uint64(20) {
		c := nodetest.Config{
			Nodes: 4, Seed: seed, Unordered: seed%2 == 0, Results: election.Results,
			Inputs: [][]messaging.Message{hold, nil, hold, nil},
		}
		naive, crashing = append(naive, c), append(crashing, c)
	}
	require.NoError(t, nodetest.Check(ring.New(order(4)), ring.Protocol.Kinds, crashing...))
	require.NoError(t, nodetest.Check(ring.NewNaive(order(4)), ring.Naive.Kinds, naive...))
}

// What is sent to a node that has crashed is lost, and sent again when that is known: an Election
// as a new one, a Coordinator as it is. The crash of another node is nothing to repair.
func TestDown(t *testing.T) {
	site := messaging.NewSite(ring.New(nil), messaging.Start{Self: 0, Nodes: 5}, nil)
	sends := func() []messaging.Send {
		defer site.Done()
		return append([]messaging.Send(nil), site.Sends...)
	}
	site.Down(1)
	assert.Empty(t, sends(), "no election was held")
	site.Receive(0, election.Hold{})
	site.Receive(0, election.Hold{})
	assert.Equal(t, []messaging.Send{{To: 2, Message: ring.Election{Members: []messaging.ID{0}}}}, sends(), "one election at a time")
	site.Down(4)
	assert.Empty(t, sends())
	site.Down(2)
	assert.Equal(t, []messaging.Send{{To: 3, Message: ring.Election{Members: []messaging.ID{0}}}}, sends())
	site.Receive(3, ring.Coordinator{Leader: 0, Term: 5})
	assert.Equal(t, []messaging.Send{{To: 3, Message: ring.Coordinator{Leader: 0, Term: 5}}}, sends())
	site.Receive(3, ring.Coordinator{Leader: 4, Term: 9})
	assert.Equal(t, []messaging.Send{{To: 3, Message: ring.Election{Term: 9, Members: []messaging.ID{0}}}}, sends(), "a leader that is down")

	// A Coordinator of an earlier term than that of an Election does not end it.
	site = messaging.NewSite(ring.New(nil), messaging.Start{Self: 2, Nodes: 4}, nil)
	site.Receive(1, ring.Election{Term: 3, Members: []messaging.ID{1, 0}})
	site.Receive(1, ring.Coordinator{Leader: 2, Term: 2})
	site.Done()
	site.Down(3)
	assert.Equal(t, []messaging.Send{{To: 0, Message: ring.Election{Term: 2, Members: []messaging.ID{2}}}}, sends())

	site = messaging.NewSite(ring.New(nil), messaging.Start{Self: 0, Nodes: 4}, nil)
	site.Receive(3, ring.Coordinator{Leader: 3, Term: 3})
	site.Done()
	site.Down(1)
	assert.Equal(t, []messaging.Send{{To: 2, Message: ring.Coordinator{Leader: 3, Term: 3}}}, sends())
	site.Down(3)
	assert.Equal(t, []messaging.Send{{To: 2, Message: ring.Election{Term: 3, Members: []messaging.ID{0}}}}, sends())
}

func TestMisuse(t *testing.T) {
	for _, a := range []func([]messaging.ID) messaging.Algorithm{ring.New, ring.NewNaive} {
		assert.PanicsWithValue(t, "ring: the ring [0 2] has no node 1: it must have each of 0 to 1 once", func() {
			a([]messaging.ID{0, 2})
		})
		assert.PanicsWithValue(t, "ring: a ring of 2 nodes for 3", func() {
			a([]messaging.ID{0, 1})(messaging.Start{Nodes: 3})
		})
	}
}

// Impossible messages are refused.
func TestRefusals(t *testing.T) {
	for _, test := range []struct {
		a    messaging.Algorithm
		from messaging.ID
		m    messaging.Message
		why  string
	}{
		{ring.New(nil), 0, election.Hold{}, "only its user has a node hold an election"},
		{ring.New(nil), 1, ring.Election{Members: []messaging.ID{1}}, "a node does not send to itself"},
		{ring.New(nil), 0, ring.Election{}, "the sender is not its first member"},
		{ring.New(nil), 0, ring.Election{Members: []messaging.ID{2, 0}}, "the sender is not its first member"},
		{ring.New(nil), 0, ring.Election{Members: []messaging.ID{0, 3}}, "its members are not nodes, each once"},
		{ring.New(nil), 0, ring.Election{Members: []messaging.ID{0, 2, 0}}, "its members are not nodes, each once"},
		{ring.New(nil), 1, ring.Coordinator{Leader: 1, Term: 1}, "a node does not send to itself"},
		{ring.New(nil), 0, ring.Coordinator{Leader: 3, Term: 3}, "the leader is not a node"},
		{ring.New(nil), 0, ring.Coordinator{Leader: 2, Term: 4}, "the leader cannot lead in this term"},
		{ring.New(nil), 0, ring.Coordinator{}, "the leader cannot lead in this term"},
		{ring.New(nil), 0, ring.Probe{}, "it is not a message of this algorithm"},
		{ring.NewNaive(nil), 0, election.Hold{}, "only its user has a node hold an election"},
		{ring.NewNaive(nil), 1, ring.Probe{Largest: 2}, "a node does not send to itself"},
		{ring.NewNaive(nil), 0, ring.Probe{Origin: -1}, "its origin is not a node"},
		{ring.NewNaive(nil), 0, ring.Probe{Origin: 2, Largest: 1}, "it cannot have met this number"},
		{ring.NewNaive(nil), 0, ring.Probe{Origin: 2, Largest: 3}, "it cannot have met this number"},
		{ring.NewNaive(nil), 0, ring.Probe{Origin: 1, Largest: 2}, "this node has sent no Probe"},
		{ring.NewNaive(nil), 0, ring.Election{}, "it is not a message of this algorithm"},
	} {
		site := messaging.NewSite(test.a, messaging.Start{Self: 1, Nodes: 3}, nil)
		func() {
			defer func() {
				refusal, ok := recover().(*messaging.Refusal)
				require.True(t, ok, "%T %+v from node %d is accepted", test.m, test.m, test.from)
				assert.Equal(t, test.why, refusal.Why, "%T %+v", test.m, test.m)
			}()
			site.Receive(test.from, test.m)
		}()
	}
}

// A member of the list that is said to be down does not lead.
func TestMemberDown(t *testing.T) {
	site := messaging.NewSite(ring.New(nil), messaging.Start{Self: 0, Nodes: 3}, nil)
	site.Receive(0, election.Hold{})
	site.Down(2)
	site.Receive(1, ring.Election{Members: []messaging.ID{1, 2, 0}})
	assert.Equal(t, []any{election.Elected{Leader: 1, Term: 1}}, site.Emits)
}
