package nodetest_test

import (
	"cmp"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/nodetest"
	"example.org/doorway/messaging/sim"
)

// A haphazard node follows a random table of rules.
type haphazard struct {
	start messaging.Start
	rules func(state, input int) rule

	State int `messaging:"durable"`
	Waits bool
}

type rule struct{ next, effect, other int }

// The inputs of a haphazard node: those without a message, and Say.
const (
	isAsked = iota
	isOver
	isGivenUp
	isTold    // one of three messages
	isStarted = 6
)

type Say struct{ What int }

func (n *haphazard) apply(input int, out messaging.Out) {
	r := n.rules(n.State, input)
	n.State = r.next
	n.effect(r.effect, out)
	n.effect(r.other, out)
}

func (n *haphazard) effect(k int, out messaging.Out) {
	next := (n.start.Self + 1) % messaging.ID(n.start.Nodes)
	switch {
	case k < 3:
		out.Send(next, Say{k})
	case k < 8 && n.Waits:
		n.Waits = false
		out.Enter()
	case k == 8:
		n.State = out.Choose(3)
	case k == 9:
		out.After(time.Duration(1+n.State), Say{n.State})
	case k == 10 || k == 11:
		out.Emit(n.State)
	}
}

func (n *haphazard) Request(out messaging.Out) {
	n.Waits = true
	n.apply(isAsked, out)
}

func (n *haphazard) Release(out messaging.Out) { n.apply(isOver, out) }

func (n *haphazard) Receive(_ messaging.ID, m messaging.Message, out messaging.Out) {
	n.apply(isTold+m.(Say).What, out)
}

// A retracting node is a haphazard Withdrawer, a Survivor, and a Starter.
type retracting struct{ haphazard }

func (n *retracting) Start(out messaging.Out) { n.apply(isStarted, out) }

func (n *retracting) Down(_ messaging.ID, out messaging.Out) { n.apply(isGivenUp, out) }

func (n *retracting) Withdraw(out messaging.Out) {
	n.Waits = false
	n.apply(isGivenUp, out)
}

// question returns rules by which a node asks the next one and enters when that has
// answered, which is correct if only one asks; some rules are changed at random.
func question(r *rand.Rand) (rules [3][7]rule) {
	const answer, enter, nothing = 1, 3, 12
	for s := range rules {
		none := rule{s, nothing, nothing}
		rules[s] = [7]rule{{s, 0, nothing}, none, none, {s, answer, nothing}, {s, enter, nothing}, none, none}
	}
	for range 1 + r.IntN(3) {
		rules[r.IntN(3)][r.IntN(6)] = rule{r.IntN(3), r.IntN(5), r.IntN(14)}
	}
	return rules
}

func anything(r *rand.Rand) (rules [3][7]rule) {
	for s := range rules {
		for i := range rules[s] {
			rules[s][i] = rule{r.IntN(3), r.IntN(14), r.IntN(30)}
		}
	}
	return rules
}

// random returns an algorithm of haphazard nodes.
func random(seed uint64, table func(*rand.Rand) [3][7]rule) messaging.Algorithm {
	rules := table(rand.New(rand.NewPCG(seed, 1)))
	return func(start messaging.Start) messaging.Node {
		n := haphazard{start: start, rules: func(state, input int) rule { return rules[state][input] }}
		if seed%2 == 0 {
			return &retracting{n}
		}
		return &n
	}
}

// For random algorithms, Explore finds every failure that Run finds, and Run finds none where
// Explore finds none: with withdrawals, or with crashes, restarts, starts, both models of timers,
// inputs and results.
func TestExploreIsRun(t *testing.T) {
	if tier.Race {
		t.Skip("random schedules are sequential")
	}
	found := map[string]int{}
	for seed := range tier.Pick[uint64](160, 1000) {
		a, e := random(seed, anything), explore.NodesConfig{Nodes: 2, Requests: []int{2, 2}, Unordered: seed%4 < 2}
		c := nodetest.Config{Nodes: 2, Unordered: e.Unordered, Steps: 1000}
		if seed%8 < 6 {
			a, e.Requests, c.Users = random(seed, question), []int{0, 2}, []int{1}
		}
		if seed/8%2 == 0 {
			e.Withdrawals = 4
		} else {
			faults(rand.New(rand.NewPCG(seed, 2)), &e)
			c.Crashes, c.Restarts, c.AnyTime, c.Perpetual, c.Inputs, c.Results, c.Detected = e.Crashes, e.Restarts, e.AnyTime, e.Perpetual, e.Inputs, e.Results, e.Detected
		}
		s, explored, err := agrees(a, e, 500)
		require.NoError(t, err, "seed %d", seed)
		if !s.complete {
			found["too large"]++
			continue
		}
		ran := false
		for k := range uint64(30) {
			c.Entries, c.Seed = int(1+k%2), k
			if e.Withdrawals > 0 {
				c.Withdraw = float64(k%3) / 4
			}
			err := nodetest.Run(a, c)
			ran = ran || err != nil
			if explored == nil {
				require.NoError(t, err, "seed %d", seed)
			}
		}
		kind := cmp.Or(sim.Failure(explored), "nothing")
		found[kind]++
		if explored != nil && !ran {
			found[kind+", and not by Run"]++
		}
	}
	t.Log(found)
	for _, kind := range []string{"exclusion", "deadlock", "endless", "results", "nothing"} {
		assert.GreaterOrEqual(t, found[kind], tier.Pick(1, 3), "%s: that is not worth much", kind)
	}
}

// faults has e differ at random in all that can happen but to withdraw.
func faults(r *rand.Rand, e *explore.NodesConfig) {
	e.Crashes = r.IntN(3)
	e.Restarts = r.IntN(e.Crashes + 1)
	e.Perpetual = r.IntN(5) == 0
	if e.AnyTime = r.IntN(2) == 0; !e.AnyTime {
		e.Early = r.IntN(3)
	}
	if r.IntN(2) == 0 {
		e.Inputs = [][]messaging.Message{{Say{1}, Say{2}}, {Say{0}}}
	}
	if r.IntN(2) == 0 {
		e.Results = func(o messaging.Outcome) error {
			if n := len(slices.Concat(o.Emitted...)); n > 1 || n == 1 && o.Over && o.Down.Len() == 0 {
				return errors.New("one result is enough for a crash, and none without")
			}
			return nil
		}
	}
	e.Detected = r.IntN(2) == 0
	e.Losses, e.Duplicates, e.Suspicions = r.IntN(3)/2, r.IntN(2), r.IntN(3)/2
}
