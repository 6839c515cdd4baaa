package sim

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/internal/node/history"
	"example.org/doorway/internal/node/steps"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/ricartagrawala"
)

// TestQueue compares the queue with a list that is sorted after each push.
func TestQueue(t *testing.T) {
	for seed := range uint64(tier.Pick(30, 200)) {
		dice := diceOf(seed, 0)
		var q queue
		type entry struct {
			at time.Duration
			n  int32
		}
		var list []entry
		now := time.Duration(0)
		for n := range int32(1500) {
			for pushes := dice.below(4) / (1 + uint64(n)/1000); pushes > 0; pushes-- {
				at := now + time.Duration(dice.below(1<<dice.below(40))) // often equal, often far
				q.push(at, steps.Event{N: n})
				k, _ := slices.BinarySearchFunc(list, at+1, func(e entry, at time.Duration) int { return cmp.Compare(e.at, at) })
				list = slices.Insert(list, k, entry{at, n})
			}
			if q.empty() != (len(list) == 0) {
				t.Fatalf("seed %d: empty is %v, and %d are there", seed, q.empty(), len(list))
			}
			if len(list) == 0 {
				continue
			}
			at, e := q.pop()
			if got := (entry{at, e.N}); got != list[0] {
				t.Fatalf("seed %d: popped %v, want %v", seed, got, list[0])
			}
			now, list = at, list[1:]
		}
	}
}

// TestStandstill has two events schedule each other forever at the same time: the
// queue does not grow.
func TestStandstill(t *testing.T) {
	var q queue
	q.push(5, steps.Event{N: 0})
	q.push(5, steps.Event{N: 1})
	for k := range int32(100_000) {
		at, e := q.pop()
		if n := e.N; at != 5 || n != k {
			t.Fatalf("popped %d at %d, want %d", n, at, k)
		}
		q.push(5, steps.Event{N: k + 2})
	}
	assert.LessOrEqual(t, cap(q.current), 5000, "keys")
}

// TestInVain gives up all requests before they can enter, so that none waits for
// long.
func TestInVain(t *testing.T) {
	defer func(n int) { maxFruitless = n }(maxFruitless)
	maxFruitless = 1000
	for _, load := range []Load{LowLoad{}, HighLoad{}} {
		r, err := Run(Config{
			Algorithm: ricartagrawala.New, Nodes: 2, Load: load, Entries: 1,
			GiveUp: 1, GiveUpAfter: Constant(T),
		})
		assert.ErrorIs(t, err, history.Unending, "%T", load)
		assert.Equal(t, 1200, r.Withdrawn, "%T: withdrawn", load)
	}
}

// TestOutOfTime overflows the clock, and the sum of the measured times.
func TestOutOfTime(t *testing.T) {
	for text, c := range map[string]Config{
		"the clock ends at 9223372036854.775807 T": {Load: LowLoad{Gap: Constant(longest)}},
		"the measured times add up to more than":   {Load: HighLoad{}, Stay: Constant(longest / 8)},
	} {
		c.Algorithm, c.Nodes, c.Entries, c.Patience = ricartagrawala.New, 3, 10_000, longest
		r, err := Run(c)
		assert.ErrorIs(t, err, history.Overflow)
		assert.NotErrorIs(t, err, history.Unending)
		assert.ErrorContains(t, err, text)
		stay := c.Stay.or(Constant(T)).lo
		if mean := r.Response.Mean; r.Entries < 2000 || mean < ratio(stay, T) || mean > 2+3*ratio(stay+T, T) {
			t.Errorf("%s: the mean response of %d entries is %v T", text, r.Entries, mean)
		}
	}
}

// TestFrozen has a node set timers of duration 0 forever.
func TestFrozen(t *testing.T) {
	defer func(n int) { maxAtOneTime = n }(maxAtOneTime)
	maxAtOneTime = 1000
	_, err := Run(Config{
		Algorithm: func(messaging.Start) messaging.Node { return restless{} },
		Nodes:     1, Load: Script{{At: 2 * T}},
	})
	assert.EqualError(t, err, "sim: at 2 T: the run does not end: 1000 events without time passing")
}

type restless struct{}

func (restless) Request(out messaging.Out)                                      { out.After(0, 1) }
func (restless) Release(messaging.Out)                                          {}
func (restless) Receive(_ messaging.ID, m messaging.Message, out messaging.Out) { out.After(0, m) }

// TestDistributions draws a million times from each, and checks the mean and some
// quantiles.
func TestDistributions(t *testing.T) {
	draws := tier.Pick(300_000, 1_000_000)
	for _, tt := range []struct {
		d        Distribution
		mean     time.Duration
		least    time.Duration
		most     time.Duration
		quantile map[time.Duration]float64
	}{
		{Constant(7), 7, 7, 7, nil},
		{Uniform(3, 9), 6, 3, 9, map[time.Duration]float64{4: 1. / 7, 9: 6. / 7}},
		{Uniform(T/2, 3*T/2), T, T / 2, 3 * T / 2, map[time.Duration]float64{T: 0.5}},
		{Exponential(T), T, 0, 100 * T, map[time.Duration]float64{ // 1-exp(-x)
			T / 10: 0.095163, T: 0.632121, 2 * T: 0.864665, 5 * T: 0.993262,
		}},
	} {
		dice := diceOf(1, 2)
		sum := time.Duration(0)
		below := map[time.Duration]int{}
		for range draws {
			x := tt.d.draw(&dice)
			if x < tt.least || x > tt.most {
				t.Fatalf("%v: drew %d", tt.d, x)
			}
			sum += x
			for q := range tt.quantile {
				if x < q {
					below[q]++
				}
			}
		}
		if mean := sum / time.Duration(draws); mean < tt.mean*997/1000 || mean > tt.mean*1003/1000 {
			t.Errorf("%v: mean %d, want %d", tt.d, mean, tt.mean)
		}
		for q, p := range tt.quantile {
			assert.InDelta(t, p, float64(below[q])/float64(draws), 0.002, "%v: are below %d", tt.d, q)
		}
	}
}

// TestChances draws with the probabilities 0 and 1.
func TestChances(t *testing.T) {
	dice := diceOf(1, 2)
	for range 1000 {
		if dice.happens(chanceOf(0)) || !dice.happens(chanceOf(1)) {
			t.Fatal("what is impossible happens, or what is certain does not")
		}
	}
}

// Shares are of the users: node 1 does not take part.
func TestShares(t *testing.T) {
	r := Report{Entries: 8, EntriesOf: []int{4, 99, 4, 0, 0}, Users: []messaging.ID{0, 2, 3, 4}}
	r.derive()
	assert.Equal(t, 0.5, r.Jain, "Jain")
	assert.Equal(t, 0.0, r.LeastShare, "least")
	assert.Equal(t, 0.5, r.MostShare, "most")
}
