//go:build !doorway_explore

package explore_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/tier"
)

// A chart is a system of numbered states with random steps. Event e is weakly fair if it
// is even.
type chart struct {
	steps     [][]arrow // by state
	initial   []place
	due, done []bool
	bad       int // the state that violates the invariant; -1: none
}

type arrow struct{ event, to int }

type place struct{ At int }

const chartEvents = 4

func newChart(rnd *rand.Rand) *chart {
	n := 1 + rnd.IntN(12)
	c := &chart{bad: -1, initial: []place{{rnd.IntN(n)}}}
	if rnd.IntN(2) == 0 {
		c.initial = append(c.initial, place{rnd.IntN(n)})
	}
	if rnd.IntN(4) == 0 {
		c.bad = rnd.IntN(n)
	}
	for range n {
		var all []arrow
		for range rnd.IntN(4) {
			all = append(all, arrow{rnd.IntN(chartEvents), rnd.IntN(n)})
		}
		c.steps = append(c.steps, all)
		c.due, c.done = append(c.due, rnd.IntN(2) == 0), append(c.done, rnd.IntN(3) == 0)
	}
	return c
}

func (c *chart) system() explore.System[place] {
	return explore.System[place]{
		Initial: c.initial,
		Next: func(s place, will, may func(event string, to place)) {
			for _, a := range c.steps[s.At] {
				if a.event%2 == 0 {
					will(fmt.Sprint("event", a.event), place{a.to})
				} else {
					may(fmt.Sprint("event", a.event), place{a.to})
				}
			}
		},
		Invariant: func(s place) error {
			if s.At == c.bad {
				return errors.New("bad")
			}
			return nil
		},
		Leads: map[string]func(s place) (due, done bool){"it comes": func(s place) (bool, bool) { return c.due[s.At], c.done[s.At] }},
	}
}

// distances returns the least number of events to each state; -1: it cannot be reached.
func (c *chart) distances() []int {
	far := make([]int, len(c.steps))
	for s := range far {
		far[s] = -1
	}
	var queue []int
	for _, s := range c.initial {
		if far[s.At] < 0 {
			far[s.At] = 0
			queue = append(queue, s.At)
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		for _, a := range c.steps[queue[0]] {
			if far[a.to] < 0 {
				far[a.to] = far[queue[0]] + 1
				queue = append(queue, a.to)
			}
		}
	}
	return far
}

// count returns how many states, and events from them, there are at these distances, how many of the states are stuck,
// the largest distance, and that of the nearest state that is stuck; -1: there is none.
func (c *chart) count(far []int) (states, events, stuck, depth, nearest int) {
	nearest = -1
	for s, d := range far {
		if d < 0 {
			continue
		}
		states, events, depth = states+1, events+len(c.steps[s]), max(depth, d)
		if len(c.steps[s]) == 0 {
			stuck++
			if nearest < 0 || d < nearest {
				nearest = d
			}
		}
	}
	return states, events, stuck, depth, nearest
}

// avoiding returns the states from which a fair run never comes to a state that is done: the
// largest set of others from each of which, for each fair event, a state of the set is
// reached within it where the event is impossible, or happens within the set (E. A. Emerson,
// C.-L. Lei, "Efficient model checking in fragments of the propositional mu-calculus", LICS
// 1986).
func (c *chart) avoiding() []bool {
	in := make([]bool, len(c.steps))
	for s := range in {
		in[s] = !c.done[s]
	}
	for changed := true; changed; {
		changed = false
		for e := 0; e < chartEvents; e += 2 {
			good := c.reach(in, func(s int) bool {
				possible, within := false, false
				for _, a := range c.steps[s] {
					possible = possible || a.event == e
					within = within || a.event == e && in[a.to]
				}
				return !possible || within
			})
			for s := range in {
				if in[s] && !good[s] {
					in[s], changed = false, true
				}
			}
		}
	}
	return in
}

// reach returns the states of a set from which one with a property is reached within it.
func (c *chart) reach(in []bool, property func(s int) bool) []bool {
	good := make([]bool, len(in))
	for changed := true; changed; {
		changed = false
		for s := range in {
			if !in[s] || good[s] {
				continue
			}
			good[s] = property(s)
			for _, a := range c.steps[s] {
				good[s] = good[s] || good[a.to]
			}
			changed = changed || good[s]
		}
	}
	return good
}

// What is found in random systems is what a search by hand finds, and each history is a
// run that shows it.
func TestSystemsAgainstSearchByHand(t *testing.T) {
	loops, ends, holds := 0, 0, 0
	for seed := range tier.Pick[uint64](400, 1000) {
		c := newChart(rand.New(rand.NewPCG(seed, 16)))
		r, err := explore.CheckSystem(c.system())
		require.NoError(t, err)
		again, err := explore.CheckSystem(c.system())
		require.NoError(t, err)
		require.Equal(t, r, again, seed)
		far := c.distances()
		if c.bad >= 0 && far[c.bad] >= 0 {
			require.Equal(t, explore.Fails, r.Invariant.Status, seed)
			require.Equal(t, far[c.bad], r.Invariant.History.Length)
			require.Equal(t, "the invariant is violated: bad", r.Invariant.History.Title)
			require.Equal(t, explore.Unknown, r.Leads["it comes"].Status)
			require.NotEqual(t, explore.Holds, r.DeadlockFree.Status, "not all states are visited")
			require.Equal(t, c.bad, c.follow(t, r.Invariant.History)[far[c.bad]])
			continue
		}
		require.Equal(t, explore.Holds, r.Invariant.Status, seed)
		states, events, stuck, depth, nearest := c.count(far)
		require.Equal(t, [4]int{states, events, stuck, depth}, [4]int{r.States, r.Events, r.Ends, r.Depth}, seed)
		require.Equal(t, stuck > 0, r.DeadlockFree.Status == explore.Fails)
		if stuck > 0 {
			require.Equal(t, nearest, r.DeadlockFree.History.Length)
		}

		never, fails := c.avoiding(), false
		for s, d := range far {
			fails = fails || d >= 0 && c.due[s] && never[s]
		}
		if !fails {
			require.Equal(t, explore.Holds, r.Leads["it comes"].Status, seed)
			holds++
			continue
		}
		require.Equal(t, explore.Fails, r.Leads["it comes"].Status, seed)
		h := r.Leads["it comes"].History
		c.assertAvoids(t, h)
		if h.Loop >= 0 {
			loops++
		} else {
			require.Equal(t, "it comes: not in this run, which may end here", h.Title)
			ends++
		}
	}
	t.Logf("%d hold, %d fail in a loop, %d at an end", holds, loops, ends)
	assert.Greater(t, min(loops, ends, holds), 40)
}

// follow returns the states of a history.
func (c *chart) follow(t *testing.T, h *explore.History) (run []int) {
	t.Helper()
	for k, line := range h.Events {
		var event, to int
		if k == 0 {
			_, err := fmt.Sscanf(line, "initially At: %d", &to)
			require.NoError(t, err)
			require.Contains(t, c.initial, place{to})
			run = append(run, to)
			continue
		}
		at := run[k-1]
		if n, _ := fmt.Sscanf(line, "event%d At: %d", &event, &to); n == 1 {
			to = at // nothing has changed
		}
		require.Contains(t, c.steps[at], arrow{event, to}, line)
		run = append(run, to)
	}
	require.Len(t, run, h.Length+1)
	return run
}

// assertAvoids asserts that a history is a fair run in which a state that is due is not
// followed by one that is done.
func (c *chart) assertAvoids(t *testing.T, h *explore.History) {
	t.Helper()
	run := c.follow(t, h)
	first := len(run) - 1 // of the states in which the run stays
	if h.Loop >= 0 {
		first = h.Loop - 1
		require.Equal(t, run[first], run[len(run)-1], "the loop is none")
	}
	due := false
	for k, s := range run {
		due = (due || c.due[s]) && !c.done[s]
		require.True(t, due || k < first, "%s", h)
	}
	for e := 0; e < chartEvents; e += 2 {
		happens, impossible := false, false
		for k := first; k < len(run); k++ {
			possible := false
			for _, a := range c.steps[run[k]] {
				possible = possible || a.event == e
			}
			impossible = impossible || !possible
			happens = happens || k > first && strings.HasPrefix(h.Events[k], fmt.Sprint("event", e))
		}
		require.True(t, happens || impossible, "event %d is not treated fairly:\n%s", e, h)
	}
}
