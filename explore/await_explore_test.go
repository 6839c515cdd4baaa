//go:build doorway_explore

package explore_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/registers"
	"example.org/doorway/mutex"
	"example.org/doorway/register"
)

// A versioned lock is free while its version, in turn, is even. The entry makes it odd, if it
// is the one that it awaited, and the exit makes it even.
func versioned(await func(l *lock, p *register.Process) (uint64, bool)) func(n int) mutex.Mutex {
	return aborting(func(l *lock, p *register.Process) bool {
		return register.Repeat(func() register.Outcome {
			version, ok := await(l, p)
			switch {
			case !ok:
				return register.GaveUp
			case version%2 != 0:
				panic("the version is not even")
			case l.turn.CompareAndSwap(version, version+1):
				return register.Entered
			}
			return register.Again
		})
	}, func(l *lock, _ *register.Process) { l.turn.Store((l.turn.Load() + 1) % 4) })
}

func even(v uint64) bool { return v%2 == 0 }

func awaitAtOnce(l *lock, p *register.Process) (uint64, bool) {
	return l.turn.AwaitValue(p, even)
}

// awaitTwice reads the version again, which may then be odd.
func awaitTwice(l *lock, p *register.Process) (uint64, bool) {
	if !l.turn.Await(p, even) {
		return 0, false
	}
	return l.turn.Load(), true
}

// The value that an await returns is the one for which the condition held; it is read
// once.
func TestAwaitValue(t *testing.T) {
	for _, giveUp := range []bool{false, true} {
		r := check(t, explore.Config{New: versioned(awaitAtOnce), Processes: 3, GiveUp: giveUp})
		want := "exclusion holds, deadlock holds, starvation fails, steadfast unknown, fifo fails, races holds, safe holds, bypasses -1"
		if giveUp {
			want = "exclusion holds, deadlock holds, starvation fails, steadfast fails, fifo fails, races holds, safe unknown, bypasses -1"
		}
		assert.Equal(t, want, verdicts(r))
		assert.Equal(t, [2]int{3, 2}, [2]int{r.Reads, r.Writes})
		for _, f := range r.Failures() {
			_, err := explore.Check(explore.Config{New: versioned(awaitAtOnce), Processes: 3, GiveUp: giveUp, Schedule: f.Schedule})
			require.NoError(t, err, "the schedule of a trace:\n%v", f)
		}

		_, err := explore.Check(explore.Config{New: versioned(awaitTwice), Processes: 2, GiveUp: giveUp})
		require.ErrorContains(t, err, "the version is not even")
	}
	alone, err := registers.Uncontended(versioned(awaitAtOnce), 3)
	require.NoError(t, err)
	assert.Equal(t, [2]int{3, 2}, [2]int{alone.Reads, alone.Writes})
}

// An await whose value is not used is explored as one without.
func TestAwaitValueUnused(t *testing.T) {
	await := func(l *lock, p *register.Process) bool { return l.reg[0].Await(p, zero) }
	awaitValue := func(l *lock, p *register.Process) bool { _, ok := l.reg[0].AwaitValue(p, zero); return ok }
	want := check(t, explore.Config{New: making(retrying(await), reset), Processes: 3})
	got := check(t, explore.Config{New: making(retrying(awaitValue), reset), Processes: 3})
	assert.Equal(t, verdicts(want), verdicts(got))
	assert.Equal(t, [2]int{want.States, want.Transitions}, [2]int{got.States, got.Transitions})
}

// Only values for which the condition holds are answers: of 0, this lock would store 0-1,
// and so on.
func TestAwaitValueOfThose(t *testing.T) {
	entry := func(l *lock, p *register.Process) {
		register.Repeat(func() register.Outcome {
			free, _ := l.head.AwaitValue(p, some)
			if l.head.CompareAndSwap(free, free-1) {
				return register.Entered
			}
			return register.Again
		})
	}
	exit := func(l *lock, _ *register.Process) { l.head.Store(1) }
	r := check(t, explore.Config{New: beginning(func(l *lock) { l.head.Set(1) }, entry, exit), Processes: 2})
	assert.Equal(t, explore.Holds, r.MutualExclusion.Status)
	assert.Equal(t, explore.Holds, r.DeadlockFree.Status)
}

// lossy forgets the ticket of an aborted acquisition.
func lossy(l *lock, p *register.Process) bool {
	ticket := l.tail.FetchAdd(1)
	if _, ok := l.head.AwaitValue(p, func(v uint64) bool { return v == ticket }); !ok {
		l.turn.Set(1)
		return false
	}
	return true
}

// An await that returns a value is aborted as others are.
func TestAwaitValueAborted(t *testing.T) {
	config := explore.Config{New: aborting(lossy, ticketAddExit), Processes: 2, Cap: 5}
	assert.Equal(t, explore.Holds, check(t, config).DeadlockFree.Status)
	config.GiveUp = true
	r := check(t, config)
	require.Equal(t, explore.Fails, r.DeadlockFree.Status)
	assert.True(t, slices.ContainsFunc(r.DeadlockFree.Trace.Steps, func(s explore.Step) bool {
		return s.Do == "give up" && s.Becomes == "withdrawing"
	}), "%v", r.DeadlockFree.Trace)
	config.Schedule = r.DeadlockFree.Trace.Schedule
	_, err := explore.Check(config)
	require.NoError(t, err)
}

// An await under Try does not wait, wherever Try is called from: a lock that spins on TryLock
// is neither starvation-free nor FIFO. If the await waited, Peterson's would be both.
func TestLockByTrying(t *testing.T) {
	once := func(l *lock, p *register.Process) bool {
		return l.reg[0].Await(p, zero) && l.reg[0].CompareAndSwap(0, p.Name())
	}
	for name, newLock := range map[string]func(n int) mutex.Mutex{"test-and-set": aborting(once, reset), "Peterson": aborting(fair, lower)} {
		r := check(t, explore.Config{Processes: 2, New: func(n int) mutex.Mutex { return byTrying{newLock(n).(*abortable)} }})
		assert.Equal(t, []string{explore.Holds, explore.Fails}, []string{r.MutualExclusion.Status, r.StarvationFree.Status}, "%s: %v", name, r)
		if name == "test-and-set" {
			assert.Equal(t, -1, r.Bypasses, "%v", r)
		}
	}
}
