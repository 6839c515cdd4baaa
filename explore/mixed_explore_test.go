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

// undo undoes what any of the entries wrote: reg has the flags of fair, pred those of
// preferred, and mine what taking took.
func undo(l *lock, p *register.Process) {
	i := p.ID()
	lower(l, p)
	l.pred[i].Store(0)
	if k := l.mine[i].Load(); k > 0 {
		l.mine[i].Store(0)
		l.next[k-1].Store(0)
	}
}

// taking is a test-and-set of next[k].
func taking(k int) entry {
	return func(l *lock, p *register.Process) bool {
		return register.Repeat(func() register.Outcome {
			if l.next[k].CompareAndSwap(0, 1) {
				l.mine[p.ID()].Store(uint64(k + 1))
				return register.Entered
			}
			return register.AgainIf(l.next[k].Await(p, zero))
		})
	}
}

// preferred is fair, and keeps modest callers out.
func preferred(l *lock, p *register.Process) bool {
	l.pred[p.ID()].Store(1)
	if !fair(l, p) {
		l.pred[p.ID()].Store(0)
		return false
	}
	return true
}

// modest is fair, once no preferred caller waits or is inside.
func modest(l *lock, p *register.Process) bool {
	return l.pred[1-p.ID()].Await(p, zero) && fair(l, p)
}

// A lock may fail only if some enter by Lock and others not; its schedule is replayed.
func TestMixed(t *testing.T) {
	config := explore.Config{New: twofold(taking(0), taking(1), taking(1), undo), Processes: 2}
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
	assert.Equal(t, trace, walk(t, config, trace.Schedule).Trace())
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
		config := explore.Config{New: twofold(c.plainly, c.trying, c.withContext, undo), Processes: 2}
		for _, set := range []struct {
			giveUp, mixed bool
			want          string
		}{{false, false, c.without}, {true, false, c.giveUp}, {false, true, c.mixed}} {
			config.GiveUp, config.Mixed = set.giveUp, set.mixed
			r := check(t, config)
			assert.NoError(t, r.Err(), c.name)
			assert.Equal(t, set.want, r.StarvationFree.Status, "%s, giving up %v, mixed %v:\n%v", c.name, set.giveUp, set.mixed, r.StarvationFree.Trace)
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
