package bully_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/election"
	"example.org/doorway/messaging/election/bully"
	"example.org/doorway/messaging/nodetest"
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

// With a detector, the node that follows leads as soon as it is told, and no message is sent
// to the node that has crashed: N-2 messages.
func TestDetected(t *testing.T) {
	const n = 8
	site := messaging.NewSite(timed, messaging.Start{Self: n - 2, Nodes: n}, nil)
	site.Receive(n-1, bully.Coordinator{Term: n - 1})
	site.Done()
	site.Down(n - 1)
	assert.Len(t, site.Sends, n-2)
	assert.Equal(t, []any{election.Elected{Leader: n - 2, Term: n + n - 2}}, site.Emits)
	assert.Empty(t, site.Timers)
}

// The example of A. S. Tanenbaum (slides of B. Prabhakaran, 46 and 47): of nodes 0 to 7, node 7
// has crashed and node 4 holds an election, with 15 messages.
func TestTanenbaum(t *testing.T) {
	r := held(t, 8, []messaging.ID{7}, []messaging.ID{4})
	assert.Equal(t, map[string]int{"ELECTION": 6, "ANSWER": 3, "COORDINATOR": 6}, r.Kinds)
	assert.Equal(t, election.Elected{Leader: 6, Term: 6}, r.Emits[0].Message)
}

// A leader that is asked says so, and begins no term; it does if there was a later one.
func TestLeaderAsked(t *testing.T) {
	site := messaging.NewSite(timed, messaging.Start{Self: 2, Nodes: 3}, nil)
	site.Receive(2, election.Hold{})
	site.Done()
	site.Receive(1, bully.Election{Crash: 5, Term: 2})
	assert.Equal(t, []messaging.Send{{To: 1, Message: bully.Coordinator{Term: 2, Crash: 5}}}, site.Sends)
	assert.Empty(t, site.Emits)
	site.Done()
	site.Receive(1, bully.Election{Term: 4})
	assert.Equal(t, []any{election.Elected{Leader: 2, Term: 5}}, site.Emits)
	assert.Equal(t, []messaging.Send{{To: 0, Message: bully.Coordinator{Term: 5}}, {To: 1, Message: bully.Coordinator{Term: 5}}}, site.Sends)
	site.Done()
	site.Receive(1, bully.Election{Crash: 1, Term: 7})
	require.Len(t, site.Sends, 3)
	assert.Equal(t, messaging.Send{To: 1, Message: bully.Coordinator{Term: 8, Crash: 1}}, site.Sends[2], "it says that it is live")
}

// A node that is said to be down leads again only once it has answered an Election that was
// sent since.
func TestFromTheDead(t *testing.T) {
	site := messaging.NewSite(timed, messaging.Start{Self: 0, Nodes: 3}, nil)
	site.Receive(0, election.Hold{})
	site.Down(2)
	site.Done()
	site.Down(2)
	site.Done()
	for _, stale := range []messaging.Message{bully.Answer{}, bully.Answer{Crash: 1}, bully.Coordinator{Term: 5, Crash: 1}, bully.Coordinator{Term: 8}} {
		site.Receive(2, stale)
	}
	assert.Empty(t, site.Emits)
	require.Equal(t, []messaging.Send{
		{To: 2, Message: bully.Election{Crash: 2}},
		{To: 2, Message: bully.Election{Crash: 2}},
	}, site.Sends)
	site.Done()
	for range 2 { // a second one is no news
		site.Receive(2, bully.Coordinator{Term: 11, Crash: 2})
	}
	assert.Equal(t, []any{election.Elected{Leader: 2, Term: 11}}, site.Emits)
}

// A second election of a node makes the timer of the first stale.
func TestStaleTimer(t *testing.T) {
	site := messaging.NewSite(timed, messaging.Start{Self: 1, Nodes: 3}, nil)
	site.Receive(1, election.Hold{})
	site.Receive(2, bully.Coordinator{Term: 2})
	site.Receive(1, election.Hold{})
	require.Equal(t, []messaging.Timer{{After: 3 * sim.T, Message: bully.Timeout{}}, {After: 3 * sim.T, Message: bully.Timeout{}}}, site.Timers)
	site.Done()
	site.Receive(1, bully.Timeout{})
	assert.Empty(t, site.Emits)
	site.Receive(1, bully.Timeout{})
	assert.Equal(t, []any{election.Elected{Leader: 1, Term: 4}}, site.Emits)
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

// largest is results, and that the largest live node leads in the end.
func largest(results messaging.Results) messaging.Results {
	return func(o messaging.Outcome) error {
		if err := results(o); err != nil || !o.Over {
			return err
		}
		for i, of := range slices.Backward(o.Emitted) {
			if id := messaging.ID(i); !o.Down.Has(id) {
				if len(of) > 0 && of[len(of)-1].(election.Elected).Leader != id {
					return fmt.Errorf("node %d is the largest, and does not lead", id)
				}
				return nil
			}
		}
		return nil
	}
}

// restarting is a random schedule in which nodes crash and start again, and each that does so
// holds an election.
func restarting(seed uint64) nodetest.Config {
	n := int(seed%5) + 2
	inputs := make([][]messaging.Message, n)
	for i := range inputs {
		inputs[i] = []messaging.Message{election.Hold{}, election.Hold{}}[:1+i%2]
	}
	return nodetest.Config{
		Nodes: n, Seed: seed, Inputs: inputs, Results: largest(election.Results), Unordered: seed%2 == 0, Crashes: n, Restarts: n,
	}
}

// Nodes crash and start again at random times. All agree in the end.
func TestRestarts(t *testing.T) {
	for seed := range uint64(1000) {
		require.NoError(t, nodetest.Run(timed, restarting(seed)), "seed %d", seed)
	}
}

// Timers expire at any time, too. There is still one leader a term, and if the schedule
// ends, all agree. It need not: timers that are always early begin elections forever.
func TestEarlyTimeouts(t *testing.T) {
	ends := 0
	for seed := range uint64(100) {
		c := restarting(seed)
		c.AnyTime, c.Steps = true, 1000
		switch err := nodetest.Run(timed, c); nodetest.Failure(err) {
		case "":
			ends++
		case "endless":
		default:
			require.NoError(t, err)
		}
	}
	assert.Greater(t, ends, 25, "schedules that end")
}

// The same with a detector, in virtual time, while the timers of the first election run.
func TestRestartsDetected(t *testing.T) {
	changes := 0
	for seed := range uint64(300) {
		n := int(seed%5) + 2
		c := sim.Config{
			Algorithm: timed, Nodes: n, Seed: seed, Results: largest(election.Results), Latency: sim.Uniform(0, sim.T), Unordered: true,
			Detection: sim.Uniform(0, 4*sim.T), Inputs: []sim.Input{{Node: 0, Message: election.Hold{}}},
		}
		for k := range 1 + int(seed/5)%n {
			at := time.Duration(1+(seed*7919+uint64(k)*31)%14) * sim.T / 2
			crash := sim.Crash{Node: messaging.ID(n - 1 - k), At: at}
			if seed%4 != 0 {
				crash.Restart = at + time.Duration(1+seed%17)*sim.T/2
			}
			c.Crashes = append(c.Crashes, crash)
		}
		r, err := sim.Run(c)
		require.NoError(t, err, "seed %d", seed)
		if len(r.Emits) > n {
			changes++
		}
	}
	assert.Greater(t, changes, 100, "runs with more than one leader")
}

func TestContract(t *testing.T) {
	hold := []messaging.Message{election.Hold{}}
	var all []nodetest.Config
	for seed := range uint64(20) {
		all = append(all, nodetest.Config{
			Nodes: 3, Seed: seed, Inputs: [][]messaging.Message{hold, hold, nil}, Results: election.Results,
			Crashes: 1, Restarts: 1, Unordered: seed%2 == 0, AnyTime: seed%4 == 0,
		})
	}
	require.NoError(t, nodetest.Check(timed, bully.Protocol.Kinds, all...))
}

func TestMisuse(t *testing.T) {
	for _, test := range [][2]time.Duration{{0, 1}, {1, 1}, {2, 1}} {
		assert.PanicsWithValue(t, "bully: New("+test[0].String()+", "+test[1].String()+"): want 0 < answer < coordinator", func() {
			bully.New(test[0], test[1])
		})
	}
}

// Impossible messages are refused.
func TestRefusals(t *testing.T) {
	for _, test := range []struct {
		from messaging.ID
		m    messaging.Message
		why  string
	}{
		{0, election.Hold{}, "only its user has a node hold an election"},
		{2, bully.Election{}, "an Election goes to nodes with larger numbers"},
		{1, bully.Election{}, "an Election goes to nodes with larger numbers"},
		{0, bully.Election{Crash: -1}, "its number is not one of a crash"},
		{0, bully.Answer{}, "an Answer goes to nodes with smaller numbers"},
		{2, bully.Answer{Crash: 1}, "there was no such Election"},
		{2, bully.Answer{Crash: -1}, "there was no such Election"},
		{0, bully.Coordinator{Term: 3}, "a Coordinator goes to nodes with smaller numbers"},
		{2, bully.Coordinator{Term: 3}, "the sender cannot lead in this term"},
		{2, bully.Coordinator{}, "the sender cannot lead in this term"},
		{2, bully.Coordinator{Term: 2, Crash: 1}, "there was no such Election"},
		{2, bully.Coordinator{Term: 2, Crash: -1}, "there was no such Election"},
		{1, bully.Timeout{Coordinator: true}, "there is no such timer"},
		{0, bully.Timeout{}, "there is no such timer"},
		{0, 7, "it is not a message of this algorithm"},
	} {
		site := messaging.NewSite(timed, messaging.Start{Self: 1, Nodes: 3}, nil)
		site.Receive(1, election.Hold{})
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

// A node that holds an election leads as soon as no node is left to wait for.
func TestNoneLeft(t *testing.T) {
	site := messaging.NewSite(timed, messaging.Start{Self: 1, Nodes: 4}, nil)
	site.Receive(1, election.Hold{})
	site.Receive(3, bully.Answer{})
	site.Down(3)
	assert.Empty(t, site.Emits)
	site.Down(2)
	assert.Equal(t, []any{election.Elected{Leader: 1, Term: 1}}, site.Emits)
}

// A Coordinator of an earlier term shows that its sender is live, and does not know of the later
// term. A node that holds an election waits for a later Coordinator; one that holds none holds one.
func TestStaleCoordinator(t *testing.T) {
	site := messaging.NewSite(timed, messaging.Start{Self: 1, Nodes: 3}, nil)
	site.Receive(1, election.Hold{})
	site.Receive(0, bully.Election{Term: 6})
	site.Done()
	site.Receive(2, bully.Coordinator{Term: 2})
	assert.Empty(t, site.Emits)
	assert.Empty(t, site.Sends)
	assert.Equal(t, []messaging.Timer{{After: 6 * sim.T, Message: bully.Timeout{Coordinator: true}}}, site.Timers)
	site.Receive(2, bully.Coordinator{Term: 8})
	site.Done()
	site.Receive(2, bully.Coordinator{Term: 5})
	assert.Equal(t, []messaging.Send{{To: 2, Message: bully.Election{Term: 8}}}, site.Sends)
}

// A node that has followed a leader for longer than an Election knows only answers it: that
// its sender will hear of the leader is all there is to do. An Election of the same term shows that the
// sender suspects the leader.
func TestOutdatedElection(t *testing.T) {
	site := messaging.NewSite(timed, messaging.Start{Self: 1, Nodes: 4}, nil)
	site.Receive(3, bully.Coordinator{Term: 3})
	site.Done()
	site.Receive(0, bully.Election{Term: 2})
	assert.Equal(t, []messaging.Send{{To: 0, Message: bully.Answer{Term: 3}}}, site.Sends)
	site.Done()
	site.Receive(0, bully.Election{Term: 3})
	assert.Equal(t, []messaging.Send{
		{To: 0, Message: bully.Answer{Term: 3}}, {To: 2, Message: bully.Election{Term: 3}}, {To: 3, Message: bully.Election{Term: 3}},
	}, site.Sends)
}

// A node that learns of a later term by a late Answer holds an election, and one that holds one
// remembers the term.
func TestLateAnswer(t *testing.T) {
	site := messaging.NewSite(timed, messaging.Start{Self: 0, Nodes: 3}, nil)
	site.Receive(0, election.Hold{})
	site.Receive(2, bully.Coordinator{Term: 2})
	site.Done()
	site.Receive(1, bully.Answer{Term: 2})
	assert.Empty(t, site.Sends, "it is no news")
	site.Receive(1, bully.Answer{Term: 4})
	want := []messaging.Send{{To: 1, Message: bully.Election{Term: 4}}, {To: 2, Message: bully.Election{Term: 4}}}
	assert.Equal(t, want, site.Sends)
	site.Done()
	site.Receive(1, bully.Answer{Term: 7})
	assert.Empty(t, site.Sends)
	for range 2 {
		site.Receive(0, bully.Timeout{}) // stale
	}
	site.Receive(0, bully.Timeout{Coordinator: true})
	assert.Equal(t, []messaging.Send{{To: 1, Message: bully.Election{Term: 7}}, {To: 2, Message: bully.Election{Term: 7}}}, site.Sends)
}

// The crash of a node with a smaller number is nothing to a node.
func TestSmallerDown(t *testing.T) {
	site := messaging.NewSite(timed, messaging.Start{Self: 1, Nodes: 3}, nil)
	site.Receive(1, election.Hold{})
	site.Done()
	site.Down(0)
	site.Down(2)
	assert.Equal(t, []messaging.Send{{To: 0, Message: bully.Coordinator{Term: 1}}}, site.Sends)
	site.Done()
	site.Receive(2, bully.Coordinator{Term: 2})
	assert.Equal(t, []messaging.Send{{To: 2, Message: bully.Election{Crash: 1, Term: 1}}}, site.Sends, "it has one number only")
}
