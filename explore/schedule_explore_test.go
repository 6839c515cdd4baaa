//go:build doorway_explore

package explore_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
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
		deadlock string // its status
		err      string
	}{
		{eager, []int{0, 1}, explore.Fails, ""},
		{eager, []int{0, 0, 0, 1}, explore.Unknown, ""},
		{eager, []int{}, explore.Unknown, ""},
		{eager, []int{0, 1, 1}, "", "step 3 of Config.Schedule: process 1 waits"},
		{eager, []int{0, 2}, "", "step 2 of Config.Schedule: 2 is no process"},
		{eager, []int{-1}, "", "step 1 of Config.Schedule: -1 is no process"},
		{gives, []int{0, 0, 0, 1, 1, 1, 3}, explore.Unknown, ""},
		{gives, []int{0, 2}, "", "step 2 of Config.Schedule: process 0 awaits nothing, and cannot give up"},
		{mixed, []int{0, 0, 0, 0, 1, 1, 1, 1, 3}, explore.Unknown, ""},
		{mixed, []int{0, 0, 0, 0, 5, 1, 1, 1, 3}, "", "step 9 of Config.Schedule: process 1 entered by Lock, and cannot give up"},
		{mixed, []int{5, 5}, "", "step 2 of Config.Schedule: process 1 is not in its remainder section, and cannot enter by Lock"},
		{mixed, []int{6}, "", "step 1 of Config.Schedule: 6 is no process"},
		{atGate, []int{0, 0, 0, 1, 1, 1}, "", "step 6 of Config.Schedule: process 1 waits"},
		{atGate, []int{0, 0, 0, 1, 1, 0, 1, 1}, explore.Unknown, ""},
		{atGate, []int{0, 0, 0, 1, 1, 3, 1, 1, 1}, "", "step 9 of Config.Schedule: process 1 waits"},
		{atGate, []int{0, 0, 0, 0, 2}, "", "step 5 of Config.Schedule: process 0 is leaving, and cannot give up"},
		{explore.Config{New: gated, GiveUp: true, Cap: 1}, []int{0, 0, 0}, "", "step 3 of Config.Schedule: process 0 writes 2, which is above the cap"},
	} {
		c.Processes, c.Schedule = 2, c.schedule
		report, err := explore.Check(c.Config)
		if c.err != "" {
			assert.EqualError(t, err, "explore: "+c.err)
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, c.deadlock, report.DeadlockFree.Status, "%v", c.schedule)
		assert.Equal(t, explore.Unknown, report.MutualExclusion.Status, "%v", c.schedule)
	}
}

// The trace of a lock whose TryLock is another protocol has the steps of the graph.
func TestScheduleOfTwoProtocols(t *testing.T) {
	enter := func(l *lock, p *register.Process) bool {
		l.turn.Load()
		return l.head.Await(p, zero)
	}
	try := func(l *lock, _ *register.Process) bool { return l.head.Load() != 0 }
	config := explore.Config{Processes: 2, GiveUp: true, New: twofold(enter, try, enter, func(l *lock, _ *register.Process) { l.turn.Store(0) })}
	found := check(t, config)
	require.Equal(t, explore.Fails, found.MutualExclusion.Status)
	config.Schedule = found.MutualExclusion.Trace.Schedule
	assert.Equal(t, found.MutualExclusion.Trace, check(t, config).MutualExclusion.Trace)
}
