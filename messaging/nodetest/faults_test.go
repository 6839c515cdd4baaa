package nodetest_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/nodetest"
	"example.org/doorway/messaging/token/tokenring"
)

// A clerk keeps a lock for the others, which ask it again and again. The clerk is node 0. It remembers what it has granted,
// and its own latest request; one that forgets does not.
type clerk struct {
	start   messaging.Start
	forgets bool

	Number int `messaging:"durable"` // of the latest request, as a client
	Wants  bool
	Has    bool

	To     messaging.ID `messaging:"durable"` // to which the lock is granted; 0: none
	Nth    int          `messaging:"durable"` // the number of its request
	Latest []int        `messaging:"durable"` // by client, the number of the latest request that is over
}

type (
	lend  struct{ Number int }
	lent  struct{ Number int }
	back  struct{ Number int } // all requests up to Number are over
	yours struct{ Number int } // is it still?
	retry struct{ Number int }
)

func newClerk(start messaging.Start) messaging.Node {
	return &clerk{start: start, Latest: make([]int, start.Nodes), forgets: true}
}

func newCareful(start messaging.Start) messaging.Node {
	return &clerk{start: start, Latest: make([]int, start.Nodes)}
}

func (n *clerk) Start(out messaging.Out) {
	if n.start.Restarted && n.forgets {
		n.Number, n.To, n.Nth, n.Latest = 0, 0, 0, make([]int, n.start.Nodes)
	}
	if n.start.Restarted && n.start.Self != 0 {
		n.Release(out)
	}
}

func (n *clerk) Request(out messaging.Out) {
	n.Wants = true
	n.Number++
	out.Send(0, lend{n.Number})
	out.After(time.Second, retry{n.Number})
}

func (n *clerk) Release(out messaging.Out) {
	n.Wants, n.Has = false, false
	out.Send(0, back{n.Number})
}

func (n *clerk) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	switch m := m.(type) {
	case lend:
		switch {
		case m.Number <= n.Latest[from]: // it is over
		case n.To == 0 || n.To == from && n.Nth < m.Number:
			n.To, n.Nth = from, m.Number
			out.Send(from, lent(m))
		case n.To != from:
			out.Send(n.To, yours{n.Nth}) // its release may have been lost
		}
	case lent:
		if n.Wants && m.Number == n.Number {
			n.Wants, n.Has = false, true
			out.Enter()
		}
	case yours:
		if m.Number < n.Number || !n.Wants && !n.Has {
			out.Send(0, back(m))
		}
	case back:
		n.Latest[from] = max(n.Latest[from], m.Number)
		if n.To == from && n.Nth <= m.Number {
			n.To = 0
		}
	case retry:
		if n.Wants && m.Number == n.Number {
			out.Send(0, lend{n.Number})
			out.After(time.Second, m)
		}
	default:
		messaging.Refuse("clerk", n.start.Self, from, m, "it is not a message of this algorithm")
	}
}

// Explore finds a shortest schedule in which an arbiter forgets in a crash what it has
// granted, and none if that is durable.
func TestExploreFindsAmnesia(t *testing.T) {
	e := explore.NodesConfig{Nodes: 3, Requests: []int{0, 1, 1}, Crashes: 1, Restarts: 1}
	_, err := every(newClerk, e)
	assert.ErrorContains(t, err, `two nodes are inside: 1 and 2
node 0 starts
node 1 starts
node 2 starts
node 1 requests
node 0 gets lend{Number: 1} from 1
node 0 crashes
node 0 restarts
node 1 gets lent{Number: 1} from 0
node 1 is inside
node 2 requests
node 0 gets lend{Number: 1} from 2
node 2 gets lent{Number: 1} from 0
node 2 is inside
scenario: version 1; nodes 3; algorithm nodetest_test; rules `)
	assert.Contains(t, err.Error(), "run a1.d1.k0.r0.d3.a2.d4.d6", "package sim repeats it")
	_, err = every(newCareful, e)
	require.NoError(t, err)
}

// Random schedules find it too.
func TestRunFindsAmnesia(t *testing.T) {
	found := map[string]int{}
	for seed := range uint64(300) {
		c := nodetest.Config{Nodes: 3, Users: []int{1, 2}, Entries: 8, Crashes: 2, Restarts: 2, Seed: seed, Steps: 3000}
		err := nodetest.Run(newClerk, c)
		found[nodetest.Failure(err)]++
		if nodetest.Failure(err) == "exclusion" {
			assert.Contains(t, nodetest.Scenario(err), ".k", "package sim repeats it")
		}
		require.NoError(t, nodetest.Run(newCareful, c), "seed %d", seed)
		kinds := []messaging.Message{lend{}, lent{}, back{}, yours{}, retry{}}
		if seed < 20 {
			c.Crashes, c.Restarts = 1, 1
			if err := nodetest.Check(newCareful, kinds, c); err != nil {
				require.Equal(t, "unsent", nodetest.Failure(err), "seed %d: %v", seed, err)
			}
		}
	}
	assert.Positive(t, found["exclusion"], "%v", found)
}

// A candidate elects the largest on a ring, by the algorithm of E. Chang and R. Roberts.
type candidate struct {
	start  messaging.Start
	broken bool
}

type (
	elect  struct{ ID messaging.ID }
	leader struct{ ID messaging.ID }
)

func election(broken bool) messaging.Algorithm {
	return messaging.On([][]messaging.ID{{1}, {2}, {0}}, func(start messaging.Start) messaging.Node {
		return &candidate{start: start, broken: broken}
	})
}

func (n *candidate) send(m messaging.Message, out messaging.Out) { out.Send(n.start.Neighbors[0], m) }

func (n *candidate) Start(out messaging.Out) { n.send(elect{n.start.Self}, out) }

func (n *candidate) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	switch m := m.(type) {
	case elect:
		switch {
		case m.ID == n.start.Self:
			out.Emit(leader(m))
			n.send(leader(m), out)
		case m.ID > n.start.Self || n.broken:
			n.send(m, out)
		}
	case leader:
		if m.ID != n.start.Self {
			out.Emit(m)
			n.send(m, out)
		}
	default:
		messaging.Refuse("election", n.start.Self, from, m, "it is not a message of this algorithm")
	}
}

// elected returns an error unless all nodes have elected node 2.
func elected(o messaging.Outcome) error {
	for i, values := range o.Emitted {
		for _, v := range values {
			if v != (leader{2}) {
				return fmt.Errorf("node %d elects %+v", i, v)
			}
		}
		if len(values) > 1 || o.Over && len(values) == 0 && !o.Down.Has(messaging.ID(i)) {
			return fmt.Errorf("node %d elects %d times", i, len(values))
		}
	}
	return nil
}

// A schedule of what never comes to rest is cut off, and never over.
func TestResultsOfPerpetual(t *testing.T) {
	over := func(o messaging.Outcome) error {
		if o.Over {
			return errors.New("it is over")
		}
		return nil
	}
	for seed := range uint64(20) {
		c := nodetest.Config{Nodes: 3, Seed: seed, Results: over}
		require.ErrorContains(t, nodetest.Run(election(false), c), "it is over")
		c.Perpetual = true
		require.NoError(t, nodetest.Run(tokenring.New(time.Second), c))
	}
}

func TestResults(t *testing.T) {
	e := explore.NodesConfig{Nodes: 3, Results: elected}
	c := nodetest.Config{Nodes: 3, Results: elected}
	done, err := every(election(false), e)
	require.NoError(t, err)
	assert.True(t, done.Ends == 1, "%+v", done)
	_, err = every(election(true), e)
	assert.Equal(t, "results", nodetest.Failure(err))
	assert.ErrorContains(t, err, `the results are wrong: node 1 elects {ID:1}
node 0 starts
node 1 starts
node 2 starts
node 0 gets elect{ID: 2} from 2
node 1 gets elect{ID: 0} from 0
node 1 gets elect{ID: 2} from 0
node 2 gets elect{ID: 1} from 1
node 0 gets elect{ID: 1} from 2
node 1 gets elect{ID: 1} from 0
node 1 emits leader{ID: 1}`)
	found := 0
	for seed := range uint64(50) {
		c.Seed = seed
		require.NoError(t, nodetest.Run(election(false), c))
		if nodetest.Failure(nodetest.Run(election(true), c)) == "results" {
			found++
		}
	}
	assert.Equal(t, 50, found)

	// A crash may end it before a leader is elected.
	e.Crashes = 1
	_, err = every(election(false), e)
	assert.ErrorContains(t, err, "the results are wrong: node 0 elects 0 times\n")
	e.Results = func(o messaging.Outcome) error { o.Over = false; return elected(o) }
	_, err = every(election(false), e)
	require.NoError(t, err)
}

// A prober takes the next node for dead if it does not answer in time.
type prober struct {
	start  messaging.Start
	Answer bool
}

func newProber(start messaging.Start) messaging.Node { return &prober{start: start} }

func (n *prober) Start(out messaging.Out) {
	if n.start.Self == 0 {
		out.Send(1, hello{})
		out.After(time.Second, alarm{})
	}
}

func (n *prober) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	switch m.(type) {
	case hello:
		n.Answer = true
		if n.start.Self == 1 {
			out.Send(from, m)
		}
	case alarm:
		if !n.Answer {
			out.Emit("dead")
		}
	}
}

// A speaker passes on what its user says, and emits what others say.
type speaker struct {
	start messaging.Start
	Heard int
}

type say struct{ Word int }

func newSpeaker(start messaging.Start) messaging.Node { return &speaker{start: start} }

func (n *speaker) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	w, ok := m.(say)
	switch {
	case !ok:
		messaging.Refuse("speaker", n.start.Self, from, m, "it is not a message of this algorithm")
	case from == n.start.Self:
		for j := range n.start.Others() {
			out.Send(j, w)
		}
	default:
		n.Heard = w.Word
		out.Emit(w)
	}
}

// The inputs of a user are given in their order, whatever happens between them; and a
// failure has a scenario with them.
func TestInputs(t *testing.T) {
	inOrder := func(o messaging.Outcome) error {
		if got := o.Emitted[1]; len(got) > 0 && got[0] != (say{1}) {
			return errors.New("node 1 hears the second word first")
		}
		if o.Over && len(o.Emitted[0])+len(o.Emitted[1]) < 3 {
			return errors.New("a word is not heard")
		}
		return nil
	}
	inputs := [][]messaging.Message{{say{1}, say{2}}, {say{3}}}
	e := explore.NodesConfig{Nodes: 2, Inputs: inputs, Results: inOrder}
	r, err := every(newSpeaker, e)
	require.NoError(t, err)
	assert.Equal(t, 18, r.States) // 6 of the words of node 0 that are said and heard, and 3 of those of node 1
	c := nodetest.Config{Nodes: 2, Inputs: inputs, Results: inOrder}
	for seed := range uint64(20) {
		c.Seed = seed
		require.NoError(t, nodetest.Run(newSpeaker, c))
	}
	require.NoError(t, nodetest.Check(newSpeaker, []messaging.Message{say{}}, c))

	e.Unordered, c.Unordered = true, true
	_, err = every(newSpeaker, e)
	assert.ErrorContains(t, err, `the results are wrong: node 1 hears the second word first
node 0 gets say{Word: 1} from its user
node 0 gets say{Word: 2} from its user
node 1 gets say{Word: 2} from 0
node 1 emits say{Word: 2}`)
	assert.Regexp(t, "^version 1; nodes 2; algorithm nodetest_test; unordered; at 0 S1 gets SAY\\(Word:1\\); at 0 S1 gets SAY\\(Word:2\\); at 0 S2 gets SAY\\(Word:3\\); rules [0-9a-f]{8}; run d1.d2.d5$", nodetest.Scenario(err))
	found := 0
	for seed := range uint64(20) {
		c.Seed = seed
		if err := nodetest.Run(newSpeaker, c); err != nil {
			assert.Equal(t, "results", nodetest.Failure(err))
			assert.Contains(t, nodetest.Scenario(err), "at 0 S2 gets SAY(Word:3)")
			found++
		}
	}
	assert.Positive(t, found)
}

func nothing(o messaging.Outcome) error {
	if len(slices.Concat(o.Emitted...)) > 0 {
		return errors.New("a node that is up is dead")
	}
	return nil
}

// What relies on timers that expire only when nothing else can happen fails if they may
// expire at any time.
func TestAnyTime(t *testing.T) {
	e := explore.NodesConfig{Nodes: 2, Results: nothing}
	_, err := every(newProber, e)
	require.NoError(t, err)
	e.Crashes = 1
	_, err = every(newProber, e)
	assert.ErrorContains(t, err, "node 1 crashes\nnode 0 gets alarm{} from its timer\nnode 0 emits \"dead\"")
	e.Crashes, e.AnyTime = 0, true
	_, err = every(newProber, e)
	assert.ErrorContains(t, err, `the results are wrong: a node that is up is dead
node 0 starts
node 1 starts
node 0 gets alarm{} from its timer
node 0 emits "dead"`)
	found := 0
	for seed := range uint64(50) {
		c := nodetest.Config{Nodes: 2, Results: nothing, Seed: seed}
		require.NoError(t, nodetest.Run(newProber, c))
		c.AnyTime = true
		if nodetest.Run(newProber, c) != nil {
			found++
		}
	}
	assert.True(t, found > 5 && found < 45, "%d", found)

	// A node whose timer may expire early needs a timer that is set first, and as short.
	_, err = every(of[late], explore.NodesConfig{Nodes: 2, Requests: []int{0, 1}, AnyTime: true})
	assert.ErrorContains(t, err, "a node panicked: too early")
}

// A beating node sends to itself by a timer, forever.
type beating struct{ Odd bool }

func (n *beating) Start(out messaging.Out) { out.After(time.Second, alarm{}) }

func (n *beating) Receive(_ messaging.ID, _ messaging.Message, out messaging.Out) {
	n.Odd = !n.Odd
	n.Start(out)
}

// A ticking node sets two timers, of which it gets those of this life only, in order.
type ticking struct {
	start messaging.Start
	Got   int
}

type tick struct {
	Again  bool
	Number int
}

func newTicking(start messaging.Start) messaging.Node { return &ticking{start: start} }

func (n *ticking) Start(out messaging.Out) {
	out.After(time.Second, tick{n.start.Restarted, 1})
	out.After(time.Second, tick{n.start.Restarted, 2})
}

func (n *ticking) Receive(_ messaging.ID, m messaging.Message, out messaging.Out) {
	if n.Got++; m != (tick{n.start.Restarted, n.Got}) {
		panic("of another life, or not in order")
	}
	out.Emit(m)
}

// Timers of a node that were set for as long expire in order, at whatever time, and none
// after a crash.
func TestTimersOfALife(t *testing.T) {
	for _, anyTime := range []bool{false, true} {
		again := false
		results := func(o messaging.Outcome) error {
			again = again || slices.Contains(o.Emitted[1], any(tick{true, 2}))
			return nil
		}
		_, err := every(newTicking, explore.NodesConfig{Nodes: 2, AnyTime: anyTime, Crashes: 1, Restarts: 1, Results: results})
		require.NoError(t, err)
		assert.True(t, again)
		overtaken := 0
		for seed := range uint64(100) {
			c := nodetest.Config{Nodes: 2, AnyTime: anyTime, Seed: seed, Crashes: 1, Restarts: 1}
			require.NoError(t, nodetest.Run(newTicking, c), "seed %d", seed)
			c.Crashes, c.Restarts = 0, 0
			c.Results = func(o messaging.Outcome) error {
				if len(o.Emitted[0]) == 0 && len(o.Emitted[1]) == 2 {
					overtaken++
				}
				return nil
			}
			require.NoError(t, nodetest.Run(newTicking, c), "seed %d", seed)
		}
		assert.Equal(t, anyTime, overtaken > 0, "the timers of one node do not wait for those of another")
	}
}

// A schedule of a perpetual algorithm need not end, unless a request is pending forever.
func TestPerpetual(t *testing.T) {
	a := func(messaging.Start) messaging.Node { return new(beating) }
	for _, anyTime := range []bool{false, true} {
		e := explore.NodesConfig{Nodes: 2, AnyTime: anyTime, Crashes: 1, Restarts: 1}
		_, err := every(a, e)
		assert.Equal(t, "endless", nodetest.Failure(err))
		e.Perpetual = true
		done, err := every(a, e)
		require.NoError(t, err)
		assert.True(t, done.Ends == 0, "%+v", done)
		c := nodetest.Config{Nodes: 2, AnyTime: anyTime, Crashes: 1, Restarts: 1, Steps: 1000}
		assert.Equal(t, "endless", nodetest.Failure(nodetest.Run(a, c)))
		c.Perpetual = true
		require.NoError(t, nodetest.Run(a, c))
	}
	_, err := every(a, explore.NodesConfig{Nodes: 1, Crashes: 1})
	assert.Equal(t, "endless", nodetest.Failure(err), "no node has to crash")
	e := explore.NodesConfig{Nodes: 3, Requests: []int{1, 0, 0}, Perpetual: true}
	_, err = every(of[circulating], e)
	require.NoError(t, err, "no request is pending while it circulates")
	_, err = every(of[torn], e)
	assert.Equal(t, "endless", nodetest.Failure(err), "a request is pending")
	c := nodetest.Config{Nodes: 3, Users: []int{0}, Perpetual: true, Steps: 1000}
	require.NoError(t, nodetest.Run(of[circulating], c))
	c.Nodes = 1
	assert.Equal(t, "endless", nodetest.Failure(nodetest.Run(of[snoozing], c)), "a request is pending")
}

// Explore visits exactly the states that replaying finds, with crashes, restarts, starts,
// both models of timers, and results.
func TestFaultsAreComplete(t *testing.T) {
	for name, a := range map[string]messaging.Algorithm{
		"clerk": newClerk, "careful": newCareful, "election": election(false), "broken": election(true),
		"prober": newProber, "ticking": newTicking, "late": of[late], "undecided": of[undecided], "deaf": of[deaf], "arbiter": of[arbiter],
		"speaker": newSpeaker,
	} {
		for k := range 32 {
			if k%tier.Pick(3, 1) != 0 || tier.Race && k%5 != 0 {
				continue
			}
			e := explore.NodesConfig{Nodes: 3, Requests: []int{0, 1, 1}, Perpetual: k%5 == 0}
			e.Crashes, e.Restarts = k%4, min(k%4, k%5%3)
			if name == "prober" || name == "ticking" {
				e.Nodes, e.Requests = 2, []int{0, 0}
			}
			if name == "speaker" {
				e.Nodes, e.Requests = 2, []int{0, 0}
				e.Inputs = [][]messaging.Message{{say{1}, say{2}}, {say{3}}}
			}
			e.AnyTime, e.Unordered = k&4 != 0, k&8 != 0
			if !e.AnyTime {
				e.Early = k / 3 % 3
			}
			if k&16 != 0 {
				e.Results = func(o messaging.Outcome) error {
					if o.Over && o.Down.Len() == 0 && len(slices.Concat(o.Emitted...)) == 2 {
						return errors.New("two results in all")
					}
					return nil
				}
			}
			_, err := agrees(a, e, tier.Pick(80, 400))
			require.NoError(t, err, "%s, %+v", name, e)
		}
	}
}
