//go:build !doorway_explore

package explore_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
)

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
	refused("the function System.Next panicked: oh"+there, explore.System[int]{Initial: one, Next: at1(func(_, _ func(string, int)) { panic("oh") })})
	refused("System.Next names an event with the empty string"+there, explore.System[int]{Initial: one, Next: at1(func(will, _ func(string, int)) { will("", 3) })})
	refused(`the event "count" is will in one place and may in another: it must be one of them in all`+there,
		explore.System[int]{Initial: one, Next: at1(func(_, may func(string, int)) { may("count", 3) })})
	calls := 0
	refused("System.Next has other events the second time: it must depend on nothing but the state"+there,
		explore.System[int]{Initial: one, Next: at1(func(will, _ func(string, int)) { calls++; will("call", calls) })})
	boom := func(s int) bool { return 2/(s-1) == 1 }
	bang := map[string]func(s int) (due, done bool){"bang": func(s int) (due, done bool) { return boom(s), true }}
	refused("the function System.Leads panicked: runtime error: integer divide by zero"+there, explore.System[int]{Initial: one, Next: step, Leads: bang})
	refused("the function System.Terminal panicked: runtime error: integer divide by zero\ninitially  1",
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
	assert.EqualError(t, plain[holding](), must+"explore_test.holding.What is an interface {}: an interface may hold anything")
	assert.EqualError(t, plain[nesting](), must+"explore_test.nesting.Of[]: a explore_test.nesting contains a explore_test.nesting: the type is recursive")
	assert.EqualError(t, plain[*place](), must+"*explore_test.place is a *explore_test.place: two pointers to one value would become two values")
}

func plain[S any]() error {
	_, err := explore.CheckSystem(explore.System[S]{Initial: make([]S, 1), Next: func(S, func(string, S), func(string, S)) {}})
	return err
}
