package nodetest_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/nodetest"
	"example.org/doorway/messaging/sim"
	"example.org/doorway/messaging/token/tokenring"
)

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
	require.NoError(t, nodetest.Check(newSpeaker, []messaging.Message{say{}}, c))

	e.Unordered, c.Unordered = true, true
	_, err = every(newSpeaker, e)
	assert.ErrorContains(t, err, `the results are wrong: S2 hears the second word first
S1 gets SAY(Word:1) from its user
S1 gets SAY(Word:2) from its user
S2 gets SAY(Word:2) from S1
S2 emits SAY(Word:2)`)
	assert.Regexp(t, "^version 1; nodes 2; algorithm nodetest_test; unordered; at 0 S1 gets SAY\\(Word:1\\); at 0 S1 gets SAY\\(Word:2\\); at 0 S2 gets SAY\\(Word:3\\); rules [0-9a-f]{8}; run d1.d2.d5$", nodetest.Scenario(err))
	found := 0
	for seed := range uint64(20) {
		c.Seed, c.Unordered = seed, false
		require.NoError(t, nodetest.Run(newSpeaker, c))
		c.Unordered = true
		if err := nodetest.Run(newSpeaker, c); err != nil {
			assert.Equal(t, "results", sim.Failure(err))
			assert.Contains(t, nodetest.Scenario(err), "at 0 S2 gets SAY(Word:3)")
			found++
		}
	}
	assert.Positive(t, found)
}

// A schedule of what never comes to rest is cut off, and never over.
func TestResultsOfPerpetual(t *testing.T) {
	c := nodetest.Config{Nodes: 3, Results: func(o messaging.Outcome) error {
		if o.Over {
			return errors.New("it is over")
		}
		return nil
	}}
	require.ErrorContains(t, nodetest.Run(newSpeaker, c), "it is over")
	c.Perpetual = true
	require.NoError(t, nodetest.Run(tokenring.New(time.Second), c))
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

// What relies on timers that expire only when nothing else can happen fails if they may
// expire at any time.
func TestAnyTime(t *testing.T) {
	nothing := func(o messaging.Outcome) error {
		if len(slices.Concat(o.Emitted...)) > 0 {
			return errors.New("a node that is up is dead")
		}
		return nil
	}
	e := explore.NodesConfig{Nodes: 2, Results: nothing}
	_, err := every(newProber, e)
	require.NoError(t, err)
	e.Crashes = 1
	_, err = every(newProber, e)
	assert.ErrorContains(t, err, "S2 crashes\nS1 gets ALARM from its timer\nS1 emits dead")
	e.Crashes, e.AnyTime = 0, true
	_, err = every(newProber, e)
	assert.ErrorContains(t, err, `the results are wrong: a node that is up is dead
S1 starts
S2 starts
S1 gets ALARM from its timer
S1 emits dead`)
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
}

// A ticking node sets two timers, of which it gets those of this life only, in order. It counts
// its lives.
type ticking struct {
	start messaging.Start
	Lives int `messaging:"durable"`
	Got   int
}

type tick struct {
	Again  bool
	Number int
}

func newTicking(start messaging.Start) messaging.Node { return &ticking{start: start} }

func (n *ticking) Start(out messaging.Out) {
	n.Lives++
	out.After(time.Second, tick{n.start.Restarted, 1})
	out.After(time.Second, tick{n.start.Restarted, 2})
}

func (n *ticking) Receive(_ messaging.ID, m messaging.Message, out messaging.Out) {
	if m != (tick{n.start.Restarted, n.Got + 1}) {
		panic("of another life, or not in order")
	}
	n.Got++
	out.Emit(m)
}

// Timers of a node that were set for as long expire in order, at whatever time, and none
// after a crash.
func TestTimersOfALife(t *testing.T) {
	for _, anyTime := range []bool{false, true} {
		again, overtaken := false, false
		results := func(o messaging.Outcome) error {
			again = again || slices.Contains(o.Emitted[1], any(tick{true, 2}))
			overtaken = overtaken || len(o.Emitted[0]) == 0 && len(o.Emitted[1]) == 2 && o.Down.Len() == 0
			return nil
		}
		_, err := every(newTicking, explore.NodesConfig{Nodes: 2, AnyTime: anyTime, Crashes: 1, Restarts: 1, Results: results})
		require.NoError(t, err)
		assert.True(t, again)
		overtaken = false
		for seed := range uint64(100) {
			c := nodetest.Config{Nodes: 2, AnyTime: anyTime, Seed: seed, Crashes: 1, Restarts: 1}
			require.NoError(t, nodetest.Check(newTicking, []messaging.Message{tick{}}, c), "seed %d", seed)
			c.Crashes, c.Restarts, c.Results = 0, 0, results
			require.NoError(t, nodetest.Run(newTicking, c), "seed %d", seed)
		}
		assert.Equal(t, anyTime, overtaken, "the timers of one node do not wait for those of another")
	}
}

// A beating node sends to itself by a timer, forever.
type beating struct{ Odd bool }

func (n *beating) Start(out messaging.Out) { out.After(time.Second, alarm{}) }

func (n *beating) Receive(_ messaging.ID, _ messaging.Message, out messaging.Out) {
	n.Odd = !n.Odd
	n.Start(out)
}

// A schedule of a perpetual algorithm need not end, unless a request is pending forever.
func TestPerpetual(t *testing.T) {
	a := func(messaging.Start) messaging.Node { return new(beating) }
	for _, anyTime := range []bool{false, true} {
		e := explore.NodesConfig{Nodes: 2, AnyTime: anyTime, Crashes: 1, Restarts: 1}
		_, err := every(a, e)
		assert.Equal(t, "endless", sim.Failure(err))
		e.Perpetual = true
		done, err := every(a, e)
		require.EqualError(t, err, "explore: not checked: mutual exclusion, deadlock-free and starvation-free", "they promise nothing")
		assert.Zero(t, done.Ends)
		c := nodetest.Config{Nodes: 2, AnyTime: anyTime, Crashes: 1, Restarts: 1, Steps: 1000}
		assert.Equal(t, "endless", sim.Failure(nodetest.Run(a, c)))
		c.Perpetual = true
		require.NoError(t, nodetest.Run(a, c))
	}
	_, err := every(a, explore.NodesConfig{Nodes: 1, Crashes: 1})
	assert.Equal(t, "endless", sim.Failure(err), "no node has to crash")
	e := explore.NodesConfig{Nodes: 3, Requests: []int{1, 0, 0}, Perpetual: true}
	_, err = every(of[circulating], e)
	require.NoError(t, err, "no request is pending while it circulates")
	_, err = every(of[torn], e)
	assert.Equal(t, "endless", sim.Failure(err), "a request is pending")
	c := nodetest.Config{Nodes: 3, Users: []int{0}, Perpetual: true, Steps: 1000}
	require.NoError(t, nodetest.Run(of[circulating], c))
	c.Nodes = 1
	assert.Equal(t, "endless", sim.Failure(nodetest.Run(of[snoozing], c)), "a request is pending")
}
