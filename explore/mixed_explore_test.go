//go:build doorway_explore

package explore_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/mutex"
	"example.org/doorway/peterson"
	"example.org/doorway/register"
)

// A twofold lock has one entry protocol for Lock, one for TryLock, and one for
// LockContext.
type twofold struct {
	procs                        register.Processes
	want, first, by              []register.Word
	turn                         register.Word
	taken                        [2]register.Word
	plainly, trying, withContext func(l *twofold, p *register.Process) bool
}

type entry func(l *twofold, p *register.Process) bool

func newTwofold(plainly, trying, withContext entry) func(n int) mutex.Mutex {
	return func(n int) mutex.Mutex {
		return &twofold{
			procs: register.MakeProcesses("twofold", n), plainly: plainly, trying: trying, withContext: withContext,
			want: make([]register.Word, n), first: make([]register.Word, n), by: make([]register.Word, n),
		}
	}
}

func (l *twofold) Processes() int { return l.procs.Len() }

func (l *twofold) Lock(i int) {
	p := l.procs.Entry(i)
	l.plainly(l, p)
	p.Inside()
}

func (l *twofold) TryLock(i int) bool {
	return l.procs.Try(i, func(p *register.Process) bool { return l.trying(l, p) })
}

func (l *twofold) LockContext(ctx context.Context, i int) error {
	return l.procs.Context(ctx, i, func(p *register.Process) bool { return l.withContext(l, p) })
}

// Unlock undoes what any of the entries wrote.
func (l *twofold) Unlock(i int) {
	l.procs.Exit(i)
	l.want[i].Store(0)
	l.first[i].Store(0)
	if k := l.by[i].Load(); k > 0 {
		l.by[i].Store(0)
		l.taken[k-1].Store(0)
	}
}

// taking is a test-and-set of taken[k].
func taking(k int) entry {
	return func(l *twofold, p *register.Process) bool {
		return register.Repeat(func() register.Outcome {
			if l.taken[k].CompareAndSwap(0, 1) {
				l.by[p.ID()].Store(uint64(k + 1))
				return register.Entered
			}
			return register.AgainIf(l.taken[k].Await(p, zero))
		})
	}
}

// fair is Peterson's algorithm.
func fair(l *twofold, p *register.Process) bool {
	i := p.ID()
	l.want[i].Store(1)
	l.turn.Store(uint64(i))
	if !register.AwaitEither(p, &l.want[1-i], zero, &l.turn, func(v uint64) bool { return v != uint64(i) }) {
		l.want[i].Store(0)
		l.first[i].Store(0)
		return false
	}
	return true
}

// preferred is fair, and keeps modest callers out.
func preferred(l *twofold, p *register.Process) bool {
	l.first[p.ID()].Store(1)
	return fair(l, p)
}

// modest is fair, once no preferred caller waits or is inside.
func modest(l *twofold, p *register.Process) bool {
	return l.first[1-p.ID()].Await(p, zero) && fair(l, p)
}

// A lock may fail only if some enter by Lock and others not; its schedule is replayed.
func TestMixed(t *testing.T) {
	config := explore.Config{New: newTwofold(taking(0), taking(1), taking(1)), Processes: 2}
	for _, giveUp := range []bool{false, true} {
		config.GiveUp = giveUp
		r := check(t, config)
		assert.Equal(t, explore.Holds, r.MutualExclusion.Status, "giving up %v", giveUp)
		assert.False(t, r.Mixed)
	}
	config.Mixed = true
	r := check(t, config)
	assert.True(t, r.Mixed)
	require.Equal(t, explore.Fails, r.MutualExclusion.Status, "%v", r)

	trace := r.MutualExclusion.Trace
	assert.Contains(t, trace.Schedule, 5, "process 1 enters by Lock")
	config.Schedule = trace.Schedule
	assert.Equal(t, trace, check(t, config).MutualExclusion.Trace)
	config.Mixed = false
	_, err := explore.Check(config)
	assert.ErrorContains(t, err, "5 is no process")
}

// Entries by Lock or TryLock are no aborts: another that they keep out forever starves.
func TestMixedStarvation(t *testing.T) {
	for _, c := range []struct {
		name                         string
		plainly, trying, withContext entry
		without, giveUp, mixed       string
	}{
		{"fair", fair, fair, fair, explore.Holds, explore.Holds, explore.Holds},
		{"Lock is preferred", preferred, modest, modest, explore.Holds, explore.Holds, explore.Fails},
		{"Lock is modest", modest, preferred, preferred, explore.Holds, explore.Holds, explore.Fails},
		{"TryLock is preferred", modest, preferred, modest, explore.Holds, explore.Fails, explore.Fails},
	} {
		config := explore.Config{New: newTwofold(c.plainly, c.trying, c.withContext), Processes: 2}
		for _, set := range []struct {
			giveUp, mixed bool
			want          string
		}{{false, false, c.without}, {true, false, c.giveUp}, {false, true, c.mixed}} {
			config.GiveUp, config.Mixed = set.giveUp, set.mixed
			r := check(t, config)
			require.Equal(t, explore.Holds, r.MutualExclusion.Status, "%s: %v", c.name, r)
			assert.Equal(t, explore.Holds, r.DeadlockFree.Status, "%s: %v", c.name, r)
			assert.Equal(t, set.want, r.StarvationFree.Status, "%s, giving up %v, mixed %v:\n%v", c.name, set.giveUp, set.mixed, r.StarvationFree.Trace)
		}
	}
}

// The locks of the catalog keep their promises with mixed callers.
func TestMixedCatalog(t *testing.T) {
	for _, a := range catalog.Algorithms {
		s := a.Checked[0]
		s.Numbers = min(s.Numbers, 3)
		r := check(t, explore.Config{
			New: of(a), Processes: s.Processes, Cap: a.Cap(s), Mixed: true,
			Only: explore.Properties{MutualExclusion: true, DeadlockFree: true, StarvationFree: true, FIFO: true},
		})
		assert.Equal(t, explore.Holds, r.MutualExclusion.Status, a.Name)
		assert.Equal(t, explore.Holds, r.DeadlockFree.Status, a.Name)
		assert.Equal(t, a.Claims.StarvationFree, r.StarvationFree.Status == explore.Holds, a.Name)
		assert.Equal(t, a.Claims.FIFO, r.FIFO.Status == explore.Holds, a.Name)
	}
}

// A process that entered by Lock cannot give up.
func TestMixedSchedule(t *testing.T) {
	for _, c := range []struct {
		schedule []int
		err      string
	}{
		{[]int{0, 0, 0, 0, 1, 1, 1, 1, 3}, ""},
		{[]int{0, 0, 0, 0, 5, 1, 1, 1, 3}, "explore: step 9 of Config.Schedule: process 1 entered by Lock, and cannot give up"},
		{[]int{5, 5}, "explore: step 2 of Config.Schedule: process 1 is not in its remainder section, and cannot enter by Lock"},
		{[]int{6}, "explore: step 1 of Config.Schedule: 6 is no process"},
	} {
		_, err := explore.Check(explore.Config{
			New: func(int) mutex.Mutex { return peterson.New() }, Processes: 2, Mixed: true, Schedule: c.schedule,
		})
		if c.err == "" {
			assert.NoError(t, err, "%v", c.schedule)
		} else {
			assert.EqualError(t, err, c.err)
		}
	}
}

// The report has the methods that were not explored.
func TestNotExplored(t *testing.T) {
	for _, c := range []struct {
		config explore.Config
		want   []string
		line   string
	}{
		{explore.Config{New: newHasty}, nil, ""},
		{explore.Config{}, []string{"TryLock", "LockContext"}, "TryLock and LockContext"},
		{explore.Config{GiveUp: true}, []string{"Lock"}, "Lock"},
		{explore.Config{Mixed: true}, nil, ""},
	} {
		if c.config.New == nil {
			c.config.New = func(int) mutex.Mutex { return peterson.New() }
		}
		c.config.Processes, c.config.Only = 2, explore.Properties{MutualExclusion: true}
		r := check(t, c.config)
		assert.Equal(t, c.want, r.NotExplored)
		if c.line == "" {
			assert.NotContains(t, r.String(), "not explored")
		} else {
			assert.Regexp(t, `(?m)^  not explored +`+c.line+`$`, r.String())
		}
	}
}
