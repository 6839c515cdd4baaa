//go:build doorway_explore

package explore_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/bakery"
	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/tier"
	"example.org/doorway/mcs"
	"example.org/doorway/mutex"
	"example.org/doorway/peterson"
	"example.org/doorway/register"
)

// A schedule is run as it is, up to a step that cannot be taken: only a process that waits
// can give up, and none in its exit; at a gate it sleeps until a store wakes it; no store is
// above the cap; and who entered by Lock cannot give up.
func TestScheduleSteps(t *testing.T) {
	gated := aborting(func(l *lock, p *register.Process) bool {
		if !l.gate.AwaitExclusive(p, zero) {
			return false
		}
		l.gate.Store(2)
		return true
	}, func(l *lock, p *register.Process) {
		l.gate.Store(0)
		l.reg[0].Await(p, zero)
	})
	eager := explore.Config{New: making(flags, lower)}
	gives := explore.Config{New: func(int) mutex.Mutex { return peterson.New() }, GiveUp: true}
	mixed := explore.Config{New: gives.New, Mixed: true}
	atGate := explore.Config{New: gated, GiveUp: true, Cap: 2}
	for _, c := range []struct {
		explore.Config
		schedule []int
		err      string // of the last step
	}{
		{eager, []int{0, 1}, ""},
		{eager, []int{0, 0, 0, 1}, ""},
		{eager, []int{}, ""},
		{eager, []int{0, 1, 1}, "step 3, which is 1: process 1 awaits reg[0] = 0, and it is 1"},
		{eager, []int{0, 2}, "step 2, which is 2: there is no process 2: they are 0 and 1"},
		{eager, []int{-1}, "step 1, which is -1: there is no process -1: they are 0 and 1"},
		{gives, []int{0, 0, 0, 1, 1, 1, 3}, ""},
		{gives, []int{0, 2}, "step 2, which is 2: process 0 awaits nothing, and cannot give up"},
		{mixed, []int{0, 0, 0, 0, 1, 1, 1, 1, 3}, ""},
		{mixed, []int{0, 0, 0, 0, 5, 1, 1, 1, 3}, "step 9, which is 3: process 1 entered by Lock, and cannot give up"},
		{mixed, []int{5, 5}, "step 2, which is 5: process 1 is not in its remainder section, and cannot enter by Lock"},
		{mixed, []int{6}, "step 1, which is 6: there is no step 6: they are 0 to 5"},
		{atGate, []int{0, 0, 0, 1, 1, 1}, "step 6, which is 1: process 1 awaits gate = 0, and it is 2; it sleeps until a store wakes the first in line"},
		{atGate, []int{0, 0, 0, 1, 1, 0, 1, 1}, ""},
		{atGate, []int{0, 0, 0, 1, 1, 3, 1, 1, 1}, "step 9, which is 1: process 1 awaits gate = 0, and it is 2; it sleeps until a store wakes the first in line"},
		{atGate, []int{0, 0, 0, 0, 2}, "step 5, which is 2: process 0 is leaving, and cannot give up"},
		{explore.Config{New: gated, GiveUp: true, Cap: 1}, []int{0, 0, 0}, "step 3, which is 0: process 0 would write a value above the cap, 1, to gate"},
	} {
		c.Processes = 2
		w, err := explore.Start(c.Config)
		require.NoError(t, err)
		if c.err == "" {
			assert.NoError(t, w.Do(c.schedule...))
			assert.NoError(t, explore.Executed(w))
			continue
		}
		assert.EqualError(t, w.Do(c.schedule...), "explore: "+c.err)
		assert.Len(t, w.Trace().Schedule, len(c.schedule)-1)
		assert.Error(t, explore.Executed(w, c.schedule[len(c.schedule)-1]))
	}
}

// A process is offered the steps that it can take, no others, and what it awaits is what keeps it: in random
// runs of every lock, with each way to enter. What is taken back is as it was.
func TestWalk(t *testing.T) {
	for _, a := range slices.Concat(catalog.Algorithms, catalog.Broken) {
		for name, c := range map[string]explore.Config{"Lock": {}, "aborts": {GiveUp: true}, "mixed": {Mixed: true}} {
			c.New, c.Processes = of(a), a.AtMost(tier.Pick(2, 3))
			c.Cap = a.Cap(catalog.Size{Processes: c.Processes, Numbers: 3})
			t.Run(a.Name+"/"+name, func(t *testing.T) {
				w, err := explore.Start(c)
				require.NoError(t, err)
				random := rand.New(rand.NewPCG(1, 2))
				for range 40 {
					offered(t, c, w)
					before, was := w.Trace().String(), w.Pending()
					var all []int
					for _, p := range was {
						all = append(all, p.Steps...)
					}
					if len(all) == 0 {
						break
					}
					slot := all[random.IntN(len(all))]
					require.NoError(t, w.Do(slot))
					after := w.Trace().String()
					require.NoError(t, w.Undo(1))
					assert.Equal(t, before, w.Trace().String())
					assert.Equal(t, was, w.Pending())
					require.NoError(t, w.Do(slot))
					assert.Equal(t, after, w.Trace().String())
				}
				assert.NoError(t, explore.Executed(w))
			})
		}
	}
}

// offered compares what is possible in a walk with what the protocols can do.
func offered(t *testing.T, c explore.Config, w *explore.Walk) {
	t.Helper()
	ways := 1
	if c.GiveUp {
		ways = 2
	}
	if c.Mixed {
		ways = 3
	}
	for i, p := range w.Pending() {
		for slot := i; slot < ways*c.Processes; slot += c.Processes {
			is, err := slices.Contains(p.Steps, slot), explore.Executed(w, slot)
			if same := slot != i && p.Place.Phase == "remainder"; !same || is {
				require.Equal(t, err == nil, is, "%v, then %d: %v, offered: %+v", w.Trace().Schedule, slot, err, p)
			}
		}
		stuck := p.Awaits != "" && (!slices.Contains(p.Steps, i) || len(p.Registers) == 2 && !p.Holds)
		assert.Equal(t, stuck, strings.HasPrefix(p.Why, "awaits "), "%+v", p)
	}
}

// In Peterson's lock both processes have raised their flags after seven steps, one waits, and is
// offered no step that would help it.
func TestWalkOfPeterson(t *testing.T) {
	w, err := explore.Start(explore.Config{New: func(int) mutex.Mutex { return peterson.New() }, Processes: 2})
	require.NoError(t, err)
	require.NoError(t, w.Do(0, 0, 0, 1, 1, 1, 1))
	all := w.Pending()
	assert.Equal(t, "inside", all[0].Place.Phase)
	assert.Equal(t, "awaits turn = 0, and it is 1, or want[0] = 0, and it is 1", all[1].Why)
	assert.Equal(t, "example.org/doorway/peterson/peterson.go", all[1].Place.Path)
}

// Lines come from the files that the caller has.
func TestWalkSource(t *testing.T) {
	c := explore.Config{New: func(int) mutex.Mutex { return peterson.New() }, Processes: 2}
	w, err := explore.Start(c)
	require.NoError(t, err)
	at := w.Pending()[0].Place
	c.Source = fstest.MapFS{at.Path: {Data: []byte(strings.Repeat("\n", at.Line-1) + "\tthis\n")}}
	w, err = explore.Start(c)
	require.NoError(t, err)
	assert.Equal(t, "this", w.Pending()[0].Place.Source)
	c.Source = fstest.MapFS{}
	w, err = explore.Start(c)
	require.NoError(t, err)
	assert.Empty(t, w.Pending()[0].Place.Source)
}

// A walk comes to what makes Check refuse a lock, and says the same.
func TestWalkToBreach(t *testing.T) {
	for _, newLock := range []func(int) mutex.Mutex{making(flags, silent), making(panicky, reset)} {
		c := explore.Config{New: newLock, Processes: 2, Cap: 5}
		_, err := explore.Check(c)
		var broken *explore.LockError
		require.ErrorAs(t, err, &broken)
		w, err := explore.Start(c)
		require.NoError(t, err)
		require.NoError(t, w.Do(broken.Trace.Schedule...))
		assert.EqualError(t, w.Err(), broken.What)
		assert.Equal(t, broken.Trace, w.Trace())
		require.NoError(t, w.Undo(1))
		assert.NoError(t, w.Err())
	}
}

// Both processes await either of two registers in vain: their steps change nothing, which is a deadlock.
func TestWalkIntoDeadlock(t *testing.T) {
	either := func(l *lock, p *register.Process) {
		l.reg[p.ID()].Store(1)
		register.AwaitEither(p, &l.reg[1-p.ID()], zero, &l.turn, func(v uint64) bool { return v == 1 })
	}
	w := walk(t, explore.Config{New: making(either, lower), Processes: 2}, []int{0, 1})
	assert.EqualError(t, w.Err(), "deadlock: no process in its entry or exit section can take a step")
	for i, p := range w.Pending() {
		assert.Equal(t, []int{i}, p.Steps)
		assert.Equal(t, fmt.Sprintf("awaits reg[%d] = 0, and it is 1, or turn, and it is 0", 1-i), p.Why)
	}
	require.NoError(t, w.Undo(1))
	assert.NoError(t, w.Err())
}

// Misuse is one sentence, and changes nothing.
func TestWalkRefusals(t *testing.T) {
	_, err := explore.Start(explore.Config{Processes: 2})
	assert.EqualError(t, err, "explore: Config.New is nil")
	w, err := explore.Start(explore.Config{New: making(testAndSet, reset), Processes: 1})
	require.NoError(t, err)
	assert.EqualError(t, w.Undo(1), "explore: 1 steps cannot be taken back: want 0 to 0")
	assert.EqualError(t, w.Undo(-1), "explore: -1 steps cannot be taken back: want 0 to 0")
}

// The trace of a lock whose TryLock is another protocol has the steps of the graph.
func TestScheduleOfTwoProtocols(t *testing.T) {
	enter := func(l *lock, p *register.Process) bool {
		l.turn.Load()
		return l.head.Await(p, zero)
	}
	try := func(l *lock, _ *register.Process) bool { return l.head.Load() != 0 }
	config := explore.Config{Processes: 2, GiveUp: true, New: twofold(enter, try, enter, func(l *lock, _ *register.Process) { l.turn.Store(0) })}
	found := check(t, config).MutualExclusion
	require.Equal(t, explore.Fails, found.Status)
	assert.Equal(t, found.Trace, walk(t, config, found.Trace.Schedule).Trace())
}

// A process that waits knows for whom, also if that one has not written yet what it awaits, and what its source awaits.
func TestWalkFor(t *testing.T) {
	simple, err := explore.Start(explore.Config{New: func(n int) mutex.Mutex { return bakery.NewSimple(n) }, Processes: 3, Cap: 4, Unexamined: true})
	require.NoError(t, err)
	require.NoError(t, simple.Do(1, 0, 1))
	next := simple.Pending()[0]
	assert.Equal(t, []any{"waits until the atomic step of process 1 ends", 1}, []any{next.Why, next.For})
	require.NoError(t, simple.Do(1, 1, 1, 1, 1, 1, 0, 0, 0, 0))
	next = simple.Pending()[0]
	assert.Equal(t, []any{"numberk != last.number", 1}, []any{next.Until, next.For})

	queue, err := explore.Start(explore.Config{New: func(n int) mutex.Mutex { return mcs.New(n) }, Processes: 3})
	require.NoError(t, err)
	require.NoError(t, queue.Do(1)) // which enters at once
	for queue.Pending()[2].Why == "" {
		require.NoError(t, queue.Do(2))
	}
	next = queue.Pending()[2]
	assert.Equal(t, []any{"v == granted", 1}, []any{next.Until, next.For})
	assert.Equal(t, -1, queue.Pending()[1].For, "it can take a step")

	capped, err := explore.Start(explore.Config{New: func(n int) mutex.Mutex { return bakery.NewSimple(n) }, Processes: 2, Cap: 1, Unexamined: true})
	require.NoError(t, err)
	for capped.Pending()[0].Place.Phase != "inside" {
		require.NoError(t, capped.Do(0))
	}
	for capped.Pending()[1].Why == "" {
		require.NoError(t, capped.Do(1))
	}
	assert.Contains(t, capped.Pending()[1].Why, "would write a value above the cap")
	assert.Equal(t, -1, capped.Pending()[1].For, "it does not wait")
}

// A process that begins its entry or exit as a step of its own, before an atomic step, is where that step begins.
func TestWalkAtomicPlace(t *testing.T) {
	w, err := explore.Start(explore.Config{New: func(n int) mutex.Mutex { return bakery.NewSimple(n) }, Processes: 2, Cap: 4, Unexamined: true})
	require.NoError(t, err)
	at := w.Pending()[0].Place
	assert.Equal(t, []any{"remainder", "bakery.go", ""}, []any{at.Phase, at.File, at.Next})
	for at.Phase != "inside" {
		require.NoError(t, w.Do(0))
		at = w.Pending()[0].Place
		assert.NotZero(t, at.Line)
	}
	assert.Contains(t, at.Source, "l.number[p.ID()].Store(0)")
}
