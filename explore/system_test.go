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
	for seed := range uint64(1000) {
		c := newChart(rand.New(rand.NewPCG(seed, 16)))
		r, err := explore.CheckSystem(c.system())
		require.NoError(t, err)
		far := c.distances()
		if c.bad >= 0 && far[c.bad] >= 0 {
			require.Equal(t, explore.Fails, r.Invariant.Status, seed)
			require.Equal(t, far[c.bad], r.Invariant.History.Length)
			require.Equal(t, explore.Unknown, r.Leads["it comes"].Status)
			require.Equal(t, c.bad, c.follow(t, r.Invariant.History)[far[c.bad]])
			continue
		}
		require.Equal(t, explore.Holds, r.Invariant.Status, seed)
		states, events, stuck, depth, nearest := 0, 0, 0, 0, -1
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
			ends++
		}
	}
	t.Logf("%d hold, %d fail in a loop, %d at an end", holds, loops, ends)
	assert.Greater(t, min(loops, ends, holds), 100)
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

// A duel is Peterson's algorithm as a design: two processes write and read one register in
// each step.
type duel struct {
	Wants [2]bool
	Turn  int
	At    [2]string
}

// petersonDesign returns the steps of Peterson's algorithm; of the wrong form, which sets turn
// before want, if turnFirst is set. If halts is set, a process may stay inside forever.
func petersonDesign(turnFirst, halts bool) func(s duel, will, may func(event string, to duel)) {
	return func(s duel, will, may func(event string, to duel)) {
		for p, at := range s.At {
			to, other, leave := s, 1-p, will
			want := func(next string) { to.Wants[p], to.At[p] = true, next }
			turn := func(next string) { to.Turn, to.At[p] = other, next }
			if halts {
				leave = may
			}
			event := fmt.Sprintf("process %d: %s", p, at)
			switch {
			case at == "idle" && turnFirst:
				turn("second")
				may(event, to)
			case at == "idle":
				want("second")
				may(event, to)
			case at == "second" && turnFirst:
				want("await")
				will(event, to)
			case at == "second":
				turn("await")
				will(event, to)
			case at == "await" && (!s.Wants[other] || s.Turn == p):
				to.At[p] = "inside"
				will(event, to)
			case at == "inside":
				to.Wants[p], to.At[p] = false, "idle"
				leave(event, to)
			}
		}
	}
}

func checkDuel(t *testing.T, next func(s duel, will, may func(event string, to duel))) *explore.SystemReport {
	t.Helper()
	s := explore.System[duel]{
		Initial: []duel{{At: [2]string{"idle", "idle"}}},
		Next:    next,
		Invariant: func(s duel) error {
			if s.At == [2]string{"inside", "inside"} {
				return errors.New("both are inside")
			}
			return nil
		},
	}
	s.Leads = map[string]func(s duel) (due, done bool){}
	for p := range 2 {
		s.Leads[fmt.Sprintf("process %d enters", p)] = func(s duel) (due, done bool) { return s.At[p] != "idle", s.At[p] == "inside" }
	}
	r, err := explore.CheckSystem(s)
	require.NoError(t, err)
	again, err := explore.CheckSystem(s)
	require.NoError(t, err)
	require.Equal(t, r, again)
	return r
}

func TestPetersonAsSystem(t *testing.T) {
	right := petersonDesign(false, false)
	known := map[duel]bool{{At: [2]string{"idle", "idle"}}: true}
	for queue := []duel{{At: [2]string{"idle", "idle"}}}; len(queue) > 0; queue = queue[1:] {
		step := func(_ string, to duel) {
			if !known[to] {
				known[to] = true
				queue = append(queue, to)
			}
		}
		right(queue[0], step, step)
	}
	r := checkDuel(t, right)
	assert.Empty(t, r.Failures())
	assert.Equal(t, len(known), r.States)
	assert.Zero(t, r.Ends)

	r = checkDuel(t, petersonDesign(true, false))
	require.Equal(t, explore.Fails, r.Invariant.Status)
	assert.Equal(t, 6, r.Invariant.History.Length)
	assert.Equal(t, "the invariant is violated: both are inside", r.Invariant.History.Title)
	assert.Equal(t, explore.Unknown, r.DeadlockFree.Status)

	r = checkDuel(t, petersonDesign(false, true))
	require.Equal(t, explore.Fails, r.Leads["process 0 enters"].Status, "the other one stays inside")
	h := r.Leads["process 0 enters"].History
	assert.Equal(t, "process 0 enters: not in this run, which may end here", h.Title)
	assert.Equal(t, -1, h.Loop)
}

// States need not be structs, and may have slices. What is always due is done again and again.
func TestSystemOfSlices(t *testing.T) {
	s := explore.System[[]int]{
		Initial: [][]int{{}},
		Next: func(s []int, will, _ func(event string, to []int)) {
			if len(s) < 3 {
				will("add", append(s, len(s)))
				return
			}
			will("drop", s[1:])
		},
		Leads: map[string]func(s []int) (due, done bool){
			"it is full":  func(s []int) (bool, bool) { return true, len(s) == 3 },
			"it is empty": func(s []int) (bool, bool) { return true, len(s) == 0 },
		},
	}
	r, err := explore.CheckSystem(s)
	require.NoError(t, err)
	assert.Equal(t, 8, r.States, "[], [0], [0 1], [0 1 2], [1 2], [1 2 2], [2 2], [2 2 2]")
	assert.Equal(t, explore.Holds, r.Leads["it is full"].Status)
	require.Equal(t, explore.Fails, r.Leads["it is empty"].Status)
	assert.Equal(t, "it is empty: not in this run\ninitially  []\nadd        [0]\n", strings.Join(strings.SplitAfter(r.Leads["it is empty"].History.String(), "\n")[:3], ""))
}

// A state without events is a deadlock unless it is terminal.
func TestSystemEnds(t *testing.T) {
	s := explore.System[int]{Initial: []int{3, 9}, Next: func(s int, will, _ func(event string, to int)) {
		if s%5 > 0 {
			will("count", s+1)
		}
	}}
	r, err := explore.CheckSystem(s)
	require.NoError(t, err)
	require.Equal(t, explore.Fails, r.DeadlockFree.Status)
	assert.Equal(t, "deadlock: no event is possible\ninitially  9\ncount      10\n", r.DeadlockFree.History.String())
	assert.Equal(t, 2, r.Ends)

	s.Terminal = func(s int) bool { return s == 10 }
	r, err = explore.CheckSystem(s)
	require.NoError(t, err)
	assert.Equal(t, 2, r.DeadlockFree.History.Length, "from 3")
	s.Terminal = func(int) bool { return true }
	r, err = explore.CheckSystem(s)
	require.NoError(t, err)
	assert.Equal(t, explore.Holds, r.DeadlockFree.Status)
	assert.Equal(t, explore.Unknown, r.Invariant.Status, "there is none")
}

// The memory limit is an error, but a deadlock that was found before is a verdict.
func TestSystemMemory(t *testing.T) {
	s := explore.System[int]{Initial: []int{1}, Memory: 2 << 20, Next: func(s int, will, may func(event string, to int)) {
		will("double", 2*s)
		may("count", s+1)
	}}
	_, err := explore.CheckSystem(s)
	require.ErrorIs(t, err, explore.ErrMemory)
	assert.ErrorContains(t, err, "exceed the memory limit of 2 MiB")

	long, err := explore.CheckSystem(explore.System[string]{Initial: []string{""}, Next: func(s string, will, _ func(event string, to string)) {
		if len(s) < 1000 {
			will("add", s+"x")
		}
	}})
	require.NoError(t, err)
	assert.Greater(t, long.Bytes, int64(1000*1000/2), "the states themselves count")

	s.Initial = []int{1, 0}
	next := s.Next
	s.Next = func(s int, will, may func(event string, to int)) {
		if s != 0 {
			next(s, will, may)
		}
	}
	r, err := explore.CheckSystem(s)
	require.NoError(t, err)
	assert.Equal(t, explore.Fails, r.DeadlockFree.Status)
	assert.Equal(t, 0, r.DeadlockFree.History.Length)
}

// What is no system is refused in a sentence, with the events that show it.
func TestSystemRefuses(t *testing.T) {
	step := func(s int, will, _ func(event string, to int)) {
		if s < 2 {
			will("count", s+1)
		}
	}
	refused := func(want string, s explore.System[int]) {
		t.Helper()
		_, err := explore.CheckSystem(s)
		assert.EqualError(t, err, "explore: "+want)
	}
	refused("System.Initial is empty: a system begins in one state at least", explore.System[int]{Next: step})
	refused("System.Next is nil", explore.System[int]{Initial: []int{0}})
	refused("System.Memory is -1: it must be at least 0", explore.System[int]{Initial: []int{0}, Next: step, Memory: -1})
	refused(`System.Leads["even"] is nil`, explore.System[int]{Initial: []int{0}, Next: step, Leads: map[string]func(s int) (due, done bool){"even": nil}})

	const there = "\ninitially  0\ncount      1"
	at1 := func(f func(will, may func(event string, to int))) func(s int, will, may func(event string, to int)) {
		return func(s int, will, may func(event string, to int)) {
			step(s, will, may)
			if s == 1 {
				f(will, may)
			}
		}
	}
	one := []int{0}
	refused("System.Next panicked: oh"+there, explore.System[int]{Initial: one, Next: at1(func(_, _ func(string, int)) { panic("oh") })})
	refused("System.Next names an event with the empty string"+there, explore.System[int]{Initial: one, Next: at1(func(will, _ func(string, int)) { will("", 3) })})
	refused(`the event "count" is will in one place and may in another: it must be one of them in all`+there,
		explore.System[int]{Initial: one, Next: at1(func(_, may func(string, int)) { may("count", 3) })})
	calls := 0
	refused("System.Next has other events the second time: it must depend on nothing but the state"+there,
		explore.System[int]{Initial: one, Next: at1(func(will, _ func(string, int)) { calls++; will("call", calls) })})
	boom := func(s int) bool { return 2/(s-1) == 1 }
	bang := map[string]func(s int) (due, done bool){"bang": func(s int) (due, done bool) { return boom(s), true }}
	refused("System.Leads panicked: runtime error: integer divide by zero"+there, explore.System[int]{Initial: one, Next: step, Leads: bang})
	refused("System.Terminal panicked: runtime error: integer divide by zero\ninitially  1",
		explore.System[int]{Initial: []int{1}, Next: func(int, func(string, int), func(string, int)) {}, Terminal: boom})

	r, err := explore.CheckSystem(explore.System[int]{Initial: one, Next: step, Invariant: func(s int) error { return fmt.Errorf("it is %d", 2/(s-1)) }})
	require.NoError(t, err)
	assert.Equal(t, explore.Fails, r.Invariant.Status)

	_, err = explore.CheckSystem(explore.System[[]int]{Initial: [][]int{{0, 0}}, Next: func(s []int, will, _ func(event string, to []int)) {
		s[0] = 1 - s[0]
		will("flip", s)
	}})
	assert.EqualError(t, err, "explore: a function of the System changes a slice of the state that it is given: it must change a copy\ninitially  [0 0]")
}

// Of what is no plain data, the error names the part and the reason.
func TestSystemOfPlainData(t *testing.T) {
	const must = "explore: a state of a System must be plain data: "
	type (
		pointing struct{ Next []*place }
		mapping  struct{ Seen map[int]bool }
		calling  struct{ Do func() }
		hiding   struct{ Of struct{ at int } }
		holding  struct{ What any }
		nesting  struct{ Of []nesting }
	)
	assert.EqualError(t, plain[pointing](), must+"explore_test.pointing.Next[] is a *explore_test.place: two pointers to one value would become two values")
	assert.EqualError(t, plain[mapping](), must+"explore_test.mapping.Seen is a map[int]bool: the order of a map is random")
	assert.EqualError(t, plain[calling](), must+"explore_test.calling.Do is a func(): its contents cannot be copied")
	assert.EqualError(t, plain[hiding](), must+"explore_test.hiding.Of.at is unexported: export it, as states are encoded by exported fields")
	assert.EqualError(t, plain[holding](), must+"explore_test.holding.What is a interface {}: an interface may hold anything")
	assert.EqualError(t, plain[nesting](), must+"explore_test.nesting.Of[]: a explore_test.nesting contains a explore_test.nesting: the type is recursive")
	assert.EqualError(t, plain[*place](), must+"*explore_test.place is a *explore_test.place: two pointers to one value would become two values")
}

func plain[S any]() error {
	_, err := explore.CheckSystem(explore.System[S]{Initial: make([]S, 1), Next: func(S, func(string, S), func(string, S)) {}})
	return err
}
