//go:build doorway_explore

package explore_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/variant"
	"example.org/doorway/mutex"
	"example.org/doorway/peterson"
	"example.org/doorway/register"
)

// The schedule of every counterexample of a broken lock, run by itself, ends in the same
// violation with the same trace.
func TestSchedule(t *testing.T) {
	ran := 0
	for _, a := range catalog.Broken {
		t.Run(a.Name, func(t *testing.T) {
			v := a.Broken
			config := explore.Config{
				New: func(n int) mutex.Mutex { return a.New(n) }, Processes: v.Fewest, GiveUp: v.Refuted == variant.GivingUp,
				Only: explore.Properties{MutualExclusion: true, DeadlockFree: v.Refuted != variant.Exclusion},
			}
			switch {
			case a.Value == nil:
			case config.GiveUp:
				config.Cap = 4
			default:
				config.Cap = 2
			}
			found, err := explore.Check(config)
			require.NoError(t, err)
			for _, of := range []func(*explore.Report) explore.Verdict{
				func(r *explore.Report) explore.Verdict { return r.MutualExclusion },
				func(r *explore.Report) explore.Verdict { return r.DeadlockFree },
			} {
				v := of(found)
				if v.Status != explore.Fails || v.Trace.Loop >= 0 {
					continue
				}
				ran++
				config.Schedule = v.Trace.Schedule
				again, err := explore.Check(config)
				require.NoError(t, err)
				assert.Equal(t, v.Trace, of(again).Trace)
				config.Schedule = v.Trace.Schedule[:len(v.Trace.Schedule)-1]
				again, err = explore.Check(config)
				require.NoError(t, err)
				assert.Equal(t, explore.Unknown, of(again).Status, "one step before")
			}
		})
	}
	assert.Equal(t, len(catalog.Broken)-1, ran, "schedules: that the numbers of bakery-blackwhite/withdraw grow is no violation")
}

// Of every lock of the catalog, the run in which a property fails goes as explored:
// at gates, in atomic steps, with aborts.
func TestScheduleOfCatalog(t *testing.T) {
	ran := 0
	for _, a := range catalog.Algorithms {
		for _, giveUp := range []bool{false, true} {
			config := explore.Config{New: func(n int) mutex.Mutex { return a.New(n) }, Processes: 2, GiveUp: giveUp, Memory: 64 << 20}
			if a.Value != nil {
				config.Cap = a.Cap(catalog.Size{Processes: 2, Numbers: 3})
			}
			found, err := explore.Check(config)
			require.NoError(t, err, a.Name)
			for _, trace := range found.Failures() {
				if len(trace.Schedule) == 0 {
					continue // registers are only safe
				}
				ran++
				config.Schedule = trace.Schedule
				again, err := explore.Check(config)
				require.NoError(t, err, "%s: %s", a.Name, trace.Title)
				assert.Empty(t, again.Failures(), "%s: %s", a.Name, trace.Title)
			}
			config.Schedule = nil
		}
	}
	assert.Greater(t, ran, 5, "schedules")
}

// An eager lock deadlocks if both processes want to enter.
type eager struct {
	procs register.Processes
	want  [2]register.Word
}

func newEager(n int) mutex.Mutex { return &eager{procs: register.MakeProcesses("eager", n)} }

func (l *eager) Processes() int { return l.procs.Len() }

func (l *eager) Lock(i int) {
	p := l.procs.Entry(i)
	l.want[i].Store(1)
	l.want[1-i].Await(p, func(v uint64) bool { return v == 0 })
	p.Inside()
}

func (l *eager) Unlock(i int) {
	l.procs.Exit(i)
	l.want[i].Store(0)
}

func TestScheduleDeadlocks(t *testing.T) {
	for _, c := range []struct {
		schedule []int
		status   string
		err      string
	}{
		{[]int{0, 1}, explore.Fails, ""},
		{[]int{0, 0, 0, 1}, explore.Unknown, ""},
		{[]int{}, explore.Unknown, ""},
		{[]int{0, 1, 1}, "", "explore: step 3 of Config.Schedule: process 1 waits"},
		{[]int{0, 2}, "", "explore: step 2 of Config.Schedule: 2 is no process"},
		{[]int{-1}, "", "explore: step 1 of Config.Schedule: -1 is no process"},
	} {
		report, err := explore.Check(explore.Config{New: newEager, Processes: 2, Schedule: c.schedule})
		if c.err != "" {
			assert.EqualError(t, err, c.err)
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, c.status, report.DeadlockFree.Status, "%v", c.schedule)
		assert.Equal(t, explore.Unknown, report.MutualExclusion.Status, "%v", c.schedule)
	}
}

// Only a process that waits can give up.
func TestScheduleGivesUp(t *testing.T) {
	config := explore.Config{New: func(int) mutex.Mutex { return peterson.New() }, Processes: 2, GiveUp: true}
	for _, c := range []struct {
		schedule []int
		err      string
	}{
		{[]int{0, 0, 0, 1, 1, 1, 3}, ""},
		{[]int{0, 2}, "explore: step 2 of Config.Schedule: process 0 awaits nothing, and cannot give up"},
	} {
		config.Schedule = c.schedule
		_, err := explore.Check(config)
		if c.err == "" {
			assert.NoError(t, err)
		} else {
			assert.EqualError(t, err, c.err)
		}
	}
}

// A doubled lock excludes nothing, and its TryLock differs from its LockContext.
type doubled struct {
	procs register.Processes
	x, y  register.Word
}

func newDoubled(n int) mutex.Mutex { return &doubled{procs: register.MakeProcesses("doubled", n)} }

func (l *doubled) Processes() int { return l.procs.Len() }
func (l *doubled) TryLock(i int) bool {
	return l.procs.Try(i, func(*register.Process) bool { return l.y.Load() != 0 })
}

func (l *doubled) Lock(i int) {
	p := l.procs.Entry(i)
	l.enter(p)
	p.Inside()
}

func (l *doubled) enter(p *register.Process) bool {
	l.x.Load()
	return l.y.Await(p, func(v uint64) bool { return v == 0 })
}

func (l *doubled) LockContext(ctx context.Context, i int) error {
	return l.procs.Context(ctx, i, l.enter)
}

func (l *doubled) Unlock(i int) {
	l.procs.Exit(i)
	l.x.Store(0)
}

// The trace of a lock whose TryLock is another protocol has the steps of the graph.
func TestScheduleOfTwoProtocols(t *testing.T) {
	config := explore.Config{New: newDoubled, Processes: 2, GiveUp: true}
	found, err := explore.Check(config)
	require.NoError(t, err)
	require.Equal(t, explore.Fails, found.MutualExclusion.Status)
	config.Schedule = found.MutualExclusion.Trace.Schedule
	again, err := explore.Check(config)
	require.NoError(t, err)
	assert.Equal(t, found.MutualExclusion.Trace, again.MutualExclusion.Trace)
}

// A gated lock waits at a gate, awaits a register in its exit, and stores a 2.
type gated struct {
	procs register.Processes
	gate  register.Gate
	rest  register.Word
}

func newGated(n int) mutex.Mutex { return &gated{procs: register.MakeProcesses("gated", n)} }

func (l *gated) Processes() int     { return l.procs.Len() }
func (l *gated) TryLock(i int) bool { return l.procs.Try(i, l.enter) }

func (l *gated) Lock(i int) {
	p := l.procs.Entry(i)
	l.enter(p)
	p.Inside()
}

func (l *gated) LockContext(ctx context.Context, i int) error {
	return l.procs.Context(ctx, i, l.enter)
}

func (l *gated) enter(p *register.Process) bool {
	if !l.gate.Await(p, func(v uint64) bool { return v == 0 }) {
		return false
	}
	l.gate.Store(2)
	return true
}

func (l *gated) Unlock(i int) {
	p := l.procs.Exit(i)
	l.gate.Store(0)
	l.rest.Await(p, func(v uint64) bool { return v == 0 })
}

// A process at a gate sleeps until a store wakes it; an exit cannot be aborted; no schedule
// goes beyond the cap.
func TestScheduleAtGate(t *testing.T) {
	for _, c := range []struct {
		schedule []int
		bound    uint64
		err      string
	}{
		{[]int{0, 0, 0, 1, 1, 1}, 2, "explore: step 6 of Config.Schedule: process 1 waits"},
		{[]int{0, 0, 0, 1, 1, 0, 1, 1}, 2, ""},
		{[]int{0, 0, 0, 1, 1, 3, 1, 1, 1}, 2, "explore: step 9 of Config.Schedule: process 1 waits"},
		{[]int{0, 0, 0, 0, 2}, 2, "explore: step 5 of Config.Schedule: process 0 is leaving, and cannot give up"},
		{[]int{0, 0, 0}, 1, "explore: step 3 of Config.Schedule: process 0 writes 2, which is above the cap"},
	} {
		_, err := explore.Check(explore.Config{New: newGated, Processes: 2, GiveUp: true, Cap: c.bound, Schedule: c.schedule})
		if c.err == "" {
			assert.NoError(t, err, "%v", c.schedule)
		} else {
			assert.EqualError(t, err, c.err, "%v", c.schedule)
		}
	}
}
