package stress

import (
	"encoding/json"
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/mutex"
)

func TestConfig(t *testing.T) {
	t.Parallel()
	lock := &plain{n: 8}
	for _, c := range []struct {
		m    mutex.Mutex
		c    Config
		want string
	}{
		{nil, Config{}, "stress: nil Mutex"},
		{lock, Config{Goroutines: -1}, "stress: Goroutines is -1: there must be 1 to 65535"},
		{lock, Config{Goroutines: 70000, Shared: true}, "stress: Goroutines is 70000: there must be 1 to 65535"},
		{lock, Config{Goroutines: 9}, "stress: Goroutines is 9 with 8 processes: each needs one of its own unless Shared"},
		{lock, Config{Duration: -1}, "stress: Duration is -1ns: it must not be negative"},
		{lock, Config{Entries: -1}, "stress: Entries is -1: it must not be negative"},
		{lock, Config{Watchdog: -time.Second}, "stress: Watchdog is -1s: it must not be negative"},
		{lock, Config{GiveUp: 1.5}, "stress: GiveUp is 1.5: it must be between 0 and 1"},
		{lock, Config{GiveUp: math.NaN()}, "stress: GiveUp is NaN: it must be between 0 and 1"},
		{lock, Config{Delay: -0.5}, "stress: Delay is -0.5: it must be between 0 and 1"},
		{lock, Config{Shared: true, Excludes: func(int, int) bool { return true }}, "stress: Excludes is set with Shared: processes that may be inside together cannot be shared"},
		{lock, Config{GiveUp: 0.5}, "stress: GiveUp is 0.5: a *stress.plain is not a mutex.Abortable"},
	} {
		r, err := Run(c.m, c.c)
		assert.Nil(t, r, "Run(%T, %+v)", c.m, c.c)
		assert.EqualError(t, err, c.want, "Run(%T, %+v)", c.m, c.c)
	}
}

func TestZeroConfig(t *testing.T) {
	t.Parallel()
	r := run1(t, &plain{n: 3}, Config{})
	assert.Equal(t, 3, r.Goroutines)
	assert.Equal(t, uint64(3000), r.Entries)
	assert.Equal(t, uint64(3000), r.Attempts)
	assert.Zero(t, r.GaveUp)
	assert.Equal(t, uint64(3000), r.Latency.Calls)
	assert.Equal(t, 3000, r.Latency.Sampled)
}

func TestDurationEnds(t *testing.T) {
	t.Parallel()
	d := 20 * time.Millisecond
	r := run1(t, &plain{n: 4}, Config{Duration: d})
	for ; r.Entries == 0 && d < 10*time.Second; r = run1(t, &plain{n: 4}, Config{Duration: d}) {
		d *= 2 // other programs have had the processors
	}
	assert.GreaterOrEqual(t, r.Elapsed, d)
	assert.NotZero(t, r.Entries, "in %v", d)
	r = run1(t, &plain{n: 4}, Config{Duration: time.Hour, Entries: 10})
	assert.Equal(t, uint64(40), r.Entries, "of a run of an hour or 10 entries")
}

func TestSections(t *testing.T) {
	t.Parallel()
	var in, out atomic.Int64
	run1(t, &plain{n: 4}, Config{Entries: 50, Section: func() { in.Add(1) }, Remainder: func() { out.Add(1) }})
	assert.Equal(t, int64(200), in.Load(), "runs of Section")
	assert.Equal(t, int64(200), out.Load(), "runs of Remainder")
}

// run1 runs a lock that is expected to be correct.
func run1(t *testing.T, m mutex.Mutex, c Config, what ...string) *Report {
	t.Helper()
	r, err := Run(m, c)
	if err == nil {
		err = r.Err()
	}
	require.NoError(t, err, "%s %s\n%v", strings.Join(what, ", "), c.how(), r)
	return r
}

// Two meet inside once: one violation, which names both, and one lost update.
func TestViolationIsNamed(t *testing.T) {
	t.Parallel()
	for range 100 {
		r, err := Run(free(5), Config{Goroutines: 2, Entries: 1, Section: meet(), Atomic: true})
		require.NoError(t, err)
		require.Equal(t, uint64(1), r.Violations)
		require.Equal(t, uint64(1), r.LostUpdates)
		v := *r.FirstViolation
		require.LessOrEqual(t, v.Entered, 1)
		require.Equal(t, violation{Entered: v.Entered, Inside: []int{1 - v.Entered}, Call: 1, After: v.After}, v)
		want := fmt.Sprintf(`^stress: mutual exclusion violated by 1 of 2 entries, first when goroutine %d entered \(its call 1, after [^)]+\) while goroutine %d was inside$`, v.Entered, 1-v.Entered)
		require.Regexp(t, want, r.Err().Error())
	}
}

func TestCrowdIsNamed(t *testing.T) {
	t.Parallel()
	r := &run{states: make([]state, 5)}
	var others uint64
	for _, k := range []int{1, 3, 4} {
		r.states[k].set(inside, 0)
		others += weight(k)
	}
	assert.Equal(t, []int{3, 4}, r.othersInside(1, others-weight(1)), "besides 1")
	r.states[4].set(remainder, 0)
	assert.Equal(t, []int{4}, r.othersInside(3, weight(4)), "whose sum is that of 4 alone")
	v := &violation{Entered: 3, Inside: []int{1, 4}, Call: 7, After: 1234567}
	assert.Equal(t, "goroutine 3 entered (its call 7, after 1.23ms) while goroutines 1, 4 were inside", violationText(v))
}

// Exclusion is checked for each two goroutines that exclude each other, and for no others: of
// five that are inside together, 1 and 2 do, and 3 and 4.
func TestExcludes(t *testing.T) {
	t.Parallel()
	pairs := func(i, j int) bool { return (i+1)/2 == (j+1)/2 }
	var there atomic.Int32
	section := func() {
		for there.Add(1); there.Load() < 5; {
			runtime.Gosched()
		}
	}
	r, err := Run(free(5), Config{Entries: 1, Section: section, Atomic: true, Excludes: pairs})
	require.NoError(t, err)
	assert.Equal(t, uint64(2), r.Violations)
	assert.Equal(t, uint64(2), r.LostUpdates)
	require.Len(t, r.FirstViolation.Inside, 1)
	assert.True(t, pairs(r.FirstViolation.Entered, r.FirstViolation.Inside[0]), "%+v", r.FirstViolation)

	there.Store(0)
	r, err = Run(free(5), Config{Entries: 1, Section: section, Excludes: func(int, int) bool { return false }})
	require.NoError(t, err)
	require.NoError(t, r.Err())
	assert.Zero(t, r.Bypasses.Max)

	there.Store(0)
	r, err = Run(free(5), Config{Entries: 1, Section: section, Atomic: true}) // all do
	require.NoError(t, err)
	assert.Equal(t, uint64(4), r.Violations)
	assert.NotZero(t, r.LostUpdates)
	assert.Contains(t, r.String(), "VIOLATED by 4 entries; ")
}

// A lock that does not exclude is caught without the help of the Section too.
func TestUntilViolation(t *testing.T) {
	t.Parallel()
	r, err := Run(free(4), Config{Duration: time.Hour, Section: runtime.Gosched, Atomic: true, UntilViolation: true})
	require.NoError(t, err)
	assert.NotZero(t, r.Violations)
}

func TestLostUpdateWithoutViolation(t *testing.T) {
	t.Parallel()
	r := &Report{Entries: 9, LostUpdates: 2}
	assert.EqualError(t, r.Err(), "stress: 2 updates of guarded data lost in 9 entries")
}

func TestFavouredGoroutine(t *testing.T) {
	t.Parallel()
	r := run1(t, &favouring{plain: plain{n: 2}, tries: make([]int, 2)}, Config{Entries: 1000, GiveUp: 1})
	assert.Equal(t, []uint64{1000, 100}, r.PerGoroutine, "entries")
	assert.Equal(t, uint64(900), r.GaveUp)
	assert.Zero(t, r.Latency.Calls, "calls of Lock")
	assert.InDelta(t, 1.0/11, r.Share.Min, 1e-6)
	assert.InDelta(t, 10.0/11, r.Share.Max, 1e-6)
	assert.InDelta(t, 1100.0*1100/(2*1010000), r.Share.Jain, 1e-6)
}

// One calls first and enters last: all others have bypassed it, except perhaps by
// their first calls, which may have been made before.
func TestBypassed(t *testing.T) {
	t.Parallel()
	const k = 100
	m := &lastly{plain: plain{n: 3}, called: make(chan struct{}), left: 2 * k, over: make(chan struct{})}
	r := run1(t, m, Config{Entries: k})
	if most := r.Bypasses.Max; most < 2*k-2 || most > 2*k {
		t.Errorf("%d bypasses of one by %d", most, 2*k)
	}
	assert.GreaterOrEqual(t, r.Bypasses.Mean, (2*k-2)/(3.0*k), "bypasses on average")
}

// A lastly lock admits no process before process 0 has called, and then all others
// before it.
type lastly struct {
	plain
	called chan struct{}
	left   int // entries of the others; guarded by plain
	over   chan struct{}
	once   sync.Once
}

func (l *lastly) Lock(i int) {
	if i == 0 {
		l.once.Do(func() { close(l.called) })
		<-l.over
	}
	<-l.called
	l.plain.Lock(i)
}

func (l *lastly) Unlock(i int) {
	if i != 0 {
		if l.left--; l.left == 0 {
			close(l.over)
		}
	}
	l.plain.Unlock(i)
}

// In a synctest bubble no goroutine that merely lacked a processor is taken for
// stuck. The first of the eleven looks sees that all have made progress.
func TestDeadlockIsNamed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		of   func(block func()) (mutex.Mutex, Config)
		want []string // lines, regular expressions
	}{
		"blocked inside": {
			func(block func()) (mutex.Mutex, Config) { return newTurnstile(3), Config{Section: block} },
			[]string{
				`stress: no progress for 500ms`,
				`  goroutine (\d) \(process \d\) is inside since call 1, 550ms ago`,
				`  goroutine \d \(process \d\) waits in Lock since call 1, 550ms ago for goroutine \d, bypassed by \d`,
				`  goroutine \d \(process \d\) waits in Lock since call 1, 550ms ago for goroutine \d, bypassed by \d`,
				`(?s)  goroutines? .*stress\.\(\*turnstile\)\.Lock.*`,
			},
		},
		"shared, never unlocked": {
			func(func()) (mutex.Mutex, Config) {
				return newForgetful(2), Config{Goroutines: 5, Shared: true}
			},
			[]string{
				`stress: no progress for 500ms`,
				`  no goroutine is inside`,
				`(  goroutine \d waits in Lock since call \d, 550ms ago, bypassed by \d`,
				`){5}  processes 0, 1 in the entry protocol, 3 goroutines in the queue for a process`,
				`(?s)  goroutines? .*stress\.\(\*turnstile\)\.Lock.*`,
			},
		},
		"blocked outside": {
			func(block func()) (mutex.Mutex, Config) {
				return newTurnstile(1), Config{Goroutines: 2, Shared: true, Remainder: block}
			},
			[]string{
				`stress: no progress for 500ms`,
				`  no goroutine is inside`,
				`  goroutine 0 is in its remainder section since call 1, 550ms ago`,
				`  goroutine 1 is in its remainder section since call 1, 550ms ago`,
				`  goroutines 0, 1 at`,
				`    stress\.TestDeadlockIsNamed\.\S+ \(run_test\.go:\d+\)`,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				stop := make(chan struct{}) // unblocks the stuck goroutines in the end
				defer close(stop)
				m, config := c.of(func() { <-stop })
				if f, ok := m.(forgetful); ok {
					defer f.remind()
				}
				config.Watchdog = 500 * time.Millisecond
				r, err := Run(m, config)
				require.ErrorIs(t, err, ErrStuck)
				require.NotNil(t, r)
				assert.Regexp(t, "^"+strings.Join(c.want, "\n")+"$", err.Error())
				assert.Equal(t, r.Goroutines, r.Unfinished, "unfinished")
			})
		})
	}
}

// A stuck goroutine that is unblocked makes no further attempt.
func TestStuckRunStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		free, entries := make(chan struct{}), make(chan struct{}, 1000)
		_, err := Run(newTurnstile(3), Config{Duration: time.Hour, Section: func() {
			<-free
			entries <- struct{}{} // which ends in a deadlock if they go on
		}})
		require.ErrorIs(t, err, ErrStuck)
		close(free)
		synctest.Wait()
		assert.Len(t, entries, 3, "entries after the run was over, want one of each of three goroutines that had called")
	})
}

func TestManyStuckAreSummedUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newForgetful(40)
		defer l.remind()
		_, err := Run(l, Config{})
		require.ErrorIs(t, err, ErrStuck)
		assert.ErrorContains(t, err, "  and 24 more\n")
		assert.Less(t, len(err.Error()), 1<<13, err)
	})
}

// While one goroutine makes progress, the others may wait: here for twice the time
// of the watchdog.
func TestWatchdogWaitsForTheSlow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const watchdog = 500 * time.Millisecond
		pause := func() { time.Sleep(watchdog * 4 / 5) }
		run1(t, newTurnstile(3), Config{Entries: 500, Section: pause, Watchdog: watchdog})
	})
}

func TestPanicIsAnError(t *testing.T) {
	t.Parallel()
	for want, section := range map[string]func(){
		"stress: goroutine 0, call 1: panicked: section\n":   func() { panic("section") },
		"stress: goroutine 0, call 1: called runtime.Goexit": runtime.Goexit,
	} {
		r, err := Run(&plain{n: 1}, Config{Section: section})
		require.Error(t, err, "want %s", want)
		assert.True(t, strings.HasPrefix(err.Error(), want), "%v; want %s", err, want)
		assert.Equal(t, 1, r.Unfinished)
	}
}

func TestDelayNeedsInterception(t *testing.T) {
	r, err := Run(&plain{n: 2}, Config{Delay: 0.5})
	if intercepts {
		require.NoError(t, err)
		assert.NotNil(t, r)
		return
	}
	assert.Nil(t, r)
	assert.EqualError(t, err, "stress: Delay: this build intercepts no registers; use the race detector or the build tag doorway_explore")
}

func TestJSON(t *testing.T) {
	t.Parallel()
	r := &Report{
		Goroutines: 2, Processes: 2, Elapsed: 3 * time.Second, Attempts: 4, Entries: 3, GaveUp: 1, Violations: 1,
		FirstViolation: &violation{Entered: 1, Inside: []int{0}, Call: 2, After: time.Millisecond}, LostUpdates: 1,
		PerGoroutine: []uint64{1, 2},
	}
	r.Share.Min, r.Share.Max, r.Share.Jain = 0.25, 0.75, 0.9
	r.Bypasses.Mean, r.Bypasses.Max = 0.5, 1
	r.Latency.P50, r.Latency.P99, r.Latency.P999, r.Latency.Max, r.Latency.Calls, r.Latency.Sampled = 1, 2, 3, 4, 5, 5
	got, err := json.Marshal(r)
	const want = `{"goroutines":2,"processes":2,"shared":false,"elapsed_ns":3000000000,"attempts":4,"entries":3,"gave_up":1,` +
		`"violations":1,"first_violation":{"entered":1,"inside":[0],"call":2,"after_ns":1000000},"lost_updates":1,` +
		`"per_goroutine":[1,2],"share":{"min":0.25,"max":0.75,"jain":0.9},"bypasses":{"mean":0.5,"max":1},` +
		`"latency":{"p50_ns":1,"p99_ns":2,"p999_ns":3,"max_ns":4,"calls":5,"sampled":5},"unfinished":0}`
	require.NoError(t, err)
	assert.Equal(t, want, string(got))
}
