//go:build doorway_explore

package explore_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/mutex"
	"example.org/doorway/peterson"
	"example.org/doorway/register"
)

// A numbered lock is Peterson's, whose protocols choose the number that they run as.
type numbered struct {
	procs       register.Processes
	want        [2]register.Word
	turn        register.Word
	entry       func(i int) int
	exit, again func(i int) int // again is a second call of Exit; nil: there is none
}

func (l *numbered) Processes() int { return l.procs.Len() }

func (l *numbered) Lock(i int) {
	p := l.procs.Entry(l.entry(i))
	l.want[i].Store(1)
	l.turn.Store(uint64(i))
	register.AwaitEither(p, &l.want[1-i], zero, &l.turn, func(v uint64) bool { return v != uint64(i) })
	p.Inside()
}

func (l *numbered) Unlock(i int) {
	l.procs.Exit(l.exit(i))
	if l.again != nil {
		l.procs.Exit(l.again(i))
	}
	l.want[i].Store(0)
}

// A protocol that runs as a process that it was not called for panics in a program,
// and is refused.
func TestProcessNumbers(t *testing.T) {
	same := func(i int) int { return i }
	other := func(i int) int { return 1 - i }
	first := func(int) int { return 0 }
	for name, c := range map[string]struct {
		entry, exit, again func(int) int
		want               string
	}{
		"as called":                 {same, same, nil, ""},
		"always the other":          {other, other, nil, ""},
		"enter as 0":                {first, same, nil, "process 1 calls Entry(0), as process 0 does: a protocol is run by the process that it was called for"},
		"enter as the other":        {other, same, nil, "process 0 calls Exit(0), and was 1 before: a protocol is run by the process that it was called for"},
		"exit as 0":                 {same, first, nil, "process 1 calls Exit(0), and was 1 before: a protocol is run by the process that it was called for"},
		"exit as the other":         {same, other, nil, "process 0 calls Exit(1), and was 0 before: a protocol is run by the process that it was called for"},
		"exit twice":                {same, same, same, "process 0 calls Exit and is not inside: used without explore, it panics"},
		"exit as the other as well": {same, same, other, "process 0 calls Exit(1), and was 0 before: a protocol is run by the process that it was called for"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := explore.Check(explore.Config{Processes: 2, New: func(n int) mutex.Mutex {
				return &numbered{procs: register.MakeProcesses("numbered", n), entry: c.entry, exit: c.exit, again: c.again}
			}})
			refusedFor(t, err, c.want)
		})
	}
}

// refusedFor requires that a lock is refused at a line of its source, for what it says; "":
// that it is not refused.
func refusedFor(t *testing.T, err error, what string) {
	t.Helper()
	if what == "" {
		require.NoError(t, err)
		return
	}
	var refused *explore.LockError
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, what, refused.What)
	assert.NotZero(t, refused.Line)
}

// A held lock waits, and marks its doorway, its critical section and the like, with
// handles that the constructor kept.
type held struct {
	procs register.Processes
	of    []*register.Process
	taken register.Word
	gate  register.Gate
	relay register.Relay
	uses  func(l *held, p *register.Process)
	skips bool // does not call Entry
}

func (l *held) Processes() int { return l.procs.Len() }

func (l *held) Lock(i int) {
	p := l.of[i]
	if !l.skips {
		p = l.procs.Entry(i)
	}
	if l.uses != nil {
		l.uses(l, l.of[0])
	}
	register.Repeat(func() register.Outcome {
		l.taken.Await(p, zero)
		if l.taken.CompareAndSwap(0, 1) {
			return register.Entered
		}
		return register.Again
	})
	p.Inside()
}

func (l *held) Unlock(i int) {
	l.procs.Exit(i)
	l.taken.Store(0)
}

// A protocol that waits as another process would be woken, aborted or absorbed in its
// place, and is refused.
func TestHandles(t *testing.T) {
	const await = "process 1 calls an await with the handle of process 0: a protocol is run by the process that it was called for"
	for name, c := range map[string]struct {
		uses  func(l *held, p *register.Process)
		skips bool
		want  string
	}{
		"own":         {},
		"await":       {uses: func(l *held, p *register.Process) { l.taken.Await(p, zero) }, want: await},
		"await value": {uses: func(l *held, p *register.Process) { l.taken.AwaitValue(p, zero) }, want: await},
		"either":      {uses: func(l *held, p *register.Process) { register.AwaitEither(p, &l.taken, zero, &l.taken, zero) }, want: await},
		"gate":        {uses: func(l *held, p *register.Process) { l.gate.Await(p, zero) }, want: await},
		"relay":       {uses: func(l *held, p *register.Process) { register.AwaitEitherRelay(p, &l.relay, zero, &l.relay, zero) }, want: await},
		"doorway":     {uses: func(_ *held, p *register.Process) { p.Doorway() }, want: "process 1 calls Process.Doorway with the handle of process 0: a protocol is run by the process that it was called for"},
		"inside":      {uses: func(_ *held, p *register.Process) { p.Inside() }, want: "process 1 calls Process.Inside with the handle of process 0: a protocol is run by the process that it was called for"},
		"pass":        {uses: func(_ *held, p *register.Process) { p.Pass() }, want: "process 1 calls Process.Pass with the handle of process 0: a protocol is run by the process that it was called for"},
		"absorb":      {uses: func(_ *held, p *register.Process) { p.Absorb(func() {}) }, want: "process 1 calls Process.Absorb with the handle of process 0: a protocol is run by the process that it was called for"},
		"give way":    {uses: func(l *held, p *register.Process) { l.gate.GiveWay(p) }, want: "process 1 calls Gate.GiveWay with the handle of process 0: a protocol is run by the process that it was called for"},
		"no entry":    {skips: true, want: "process 0 calls an await before Processes.Entry, which begins each entry"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := explore.Check(explore.Config{Processes: 2, New: func(n int) mutex.Mutex {
				l := &held{procs: register.MakeProcesses("held", n), uses: c.uses, skips: c.skips}
				for i := range n {
					l.of = append(l.of, l.procs.Entry(i))
				}
				return l
			}})
			refusedFor(t, err, c.want)
		})
	}
}

// A boastful lock says that it entered although its entry gave up.
type boastful struct {
	held
	try, context bool
}

func (l *boastful) enter(p *register.Process) bool {
	return register.Repeat(func() register.Outcome {
		if l.taken.CompareAndSwap(0, 1) {
			return register.Entered
		}
		return register.AgainIf(l.taken.Await(p, zero))
	})
}

func (l *boastful) TryLock(i int) bool { return l.procs.Try(i, l.enter) || l.try }

func (l *boastful) LockContext(ctx context.Context, i int) error {
	err := l.procs.Context(ctx, i, l.enter)
	if l.context {
		return nil
	}
	return err
}

func TestGaveUpUnsaid(t *testing.T) {
	for want, c := range map[string]struct{ try, context bool }{
		"explore: TryLock of process 0 returns true although the entry gave up: it must return the result of Processes.Try":        {try: true},
		"explore: LockContext of process 0 returns nil although the entry gave up: it must return the result of Processes.Context": {context: true},
	} {
		_, err := explore.Check(explore.Config{Processes: 2, GiveUp: true, New: func(n int) mutex.Mutex {
			return &boastful{held: held{procs: register.MakeProcesses("boastful", n)}, try: c.try, context: c.context}
		}})
		assert.EqualError(t, err, want)
	}
}

// nested is Peterson's lock within another of its kind: each has processes of its own.
type nested struct{ outer, inner *peterson.Lock }

func (l *nested) Processes() int { return 2 }
func (l *nested) Lock(i int)     { l.outer.Lock(i); l.inner.Lock(i) }
func (l *nested) Unlock(i int)   { l.inner.Unlock(i); l.outer.Unlock(i) }

func TestNested(t *testing.T) {
	r, err := explore.Check(explore.Config{Processes: 2, New: func(int) mutex.Mutex { return &nested{peterson.New(), peterson.New()} }})
	require.NoError(t, err)
	assert.Equal(t, explore.Holds, r.MutualExclusion.Status, "%v", r)
	assert.Equal(t, explore.Holds, r.StarvationFree.Status, "%v", r)
}

// A forgetful lock enters though its await was aborted.
type forgetful struct {
	procs register.Processes
	taken register.Word
}

func (l *forgetful) Processes() int { return l.procs.Len() }

func (l *forgetful) enter(p *register.Process) bool {
	return register.Repeat(func() register.Outcome {
		aborted := !l.taken.Await(p, zero) // which should end the entry
		switch {
		case l.taken.CompareAndSwap(0, p.Name()):
			return register.Entered
		case aborted:
			l.taken.Store(p.Name())
			return register.Entered
		}
		return register.Again
	})
}

func (l *forgetful) Lock(i int) {
	p := l.procs.Entry(i)
	register.Repeat(func() register.Outcome {
		l.taken.Await(p, zero)
		if l.taken.CompareAndSwap(0, p.Name()) {
			return register.Entered
		}
		return register.Again
	})
	p.Inside()
}
func (l *forgetful) TryLock(i int) bool { return l.procs.Try(i, l.enter) }
func (l *forgetful) LockContext(ctx context.Context, i int) error {
	return l.procs.Context(ctx, i, l.enter)
}

func (l *forgetful) Unlock(i int) {
	l.procs.Exit(i)
	l.taken.Store(0)
}

// An entry that returns true is in its critical section, whether or not an await of
// it was aborted.
func TestAbortForgotten(t *testing.T) {
	check := func(giveUp bool) *explore.Report {
		r, err := explore.Check(explore.Config{Processes: 2, GiveUp: giveUp, New: func(n int) mutex.Mutex {
			return &forgetful{procs: register.MakeProcesses("forgetful", n)}
		}})
		require.NoError(t, err)
		return r
	}
	assert.Equal(t, explore.Holds, check(false).MutualExclusion.Status)
	failed := check(true)
	require.Equal(t, explore.Fails, failed.MutualExclusion.Status)
	last := failed.MutualExclusion.Trace.Steps
	assert.Len(t, last, 7, "the second process enters by its aborted await, while the first is inside")
}

// A slow exit is one of Peterson's lock that awaits what always comes true, and
// leaves the lock shut if that await is aborted.
type slowExit struct{ numbered }

func (l *slowExit) enter(p *register.Process) bool {
	i := p.ID()
	l.want[i].Store(1)
	l.turn.Store(uint64(i))
	p.Doorway()
	if !register.AwaitEither(p, &l.want[1-i], zero, &l.turn, func(v uint64) bool { return v != uint64(i) }) {
		l.want[i].Store(0)
		return false
	}
	return true
}

func (l *slowExit) TryLock(i int) bool { return l.procs.Try(i, l.enter) }
func (l *slowExit) LockContext(ctx context.Context, i int) error {
	return l.procs.Context(ctx, i, l.enter)
}

func (l *slowExit) Unlock(i int) {
	p := l.procs.Exit(i)
	if l.want[i].Await(p, func(v uint64) bool { return v == 1 }) {
		l.want[i].Store(0)
	}
}

// An await of an exit protocol is never aborted.
func TestExitIsNotAborted(t *testing.T) {
	r, err := explore.Check(explore.Config{Processes: 2, GiveUp: true, New: func(n int) mutex.Mutex {
		l := &slowExit{}
		l.procs, l.entry = register.MakeProcesses("slowExit", n), func(i int) int { return i }
		return l
	}})
	require.NoError(t, err)
	assert.Equal(t, explore.Holds, r.MutualExclusion.Status, "%v", r)
	assert.Equal(t, explore.Holds, r.DeadlockFree.Status, "%v", r)
}

// A tryLocking lock enters by trying, over and over.
type tryLocking struct{ forgetful }

func (l *tryLocking) enter(p *register.Process) bool {
	return l.taken.Await(p, zero) && l.taken.CompareAndSwap(0, p.Name())
}

func (l *tryLocking) TryLock(i int) bool { return l.procs.Try(i, l.enter) }

func (l *tryLocking) Lock(i int) {
	register.Repeat(func() register.Outcome {
		if l.TryLock(i) {
			return register.Entered
		}
		return register.Again
	})
}

// A trying Peterson lock is Peterson's lock entered by trying, over and over.
type tryingPeterson struct{ numbered }

func (l *tryingPeterson) enter(p *register.Process) bool {
	i := p.ID()
	l.want[i].Store(1)
	l.turn.Store(uint64(i))
	if !register.AwaitEither(p, &l.want[1-i], zero, &l.turn, func(v uint64) bool { return v != uint64(i) }) {
		l.want[i].Store(0)
		return false
	}
	return true
}

func (l *tryingPeterson) Lock(i int) {
	register.Repeat(func() register.Outcome {
		if l.procs.Try(i, l.enter) {
			return register.Entered
		}
		return register.Again
	})
}

// If its await waited, it would be starvation-free.
func TestAwaitUnderTry(t *testing.T) {
	r, err := explore.Check(explore.Config{Processes: 2, New: func(n int) mutex.Mutex {
		l := &tryingPeterson{}
		l.procs, l.exit = register.MakeProcesses("tryingPeterson", n), func(i int) int { return i }
		return l
	}})
	require.NoError(t, err)
	assert.Equal(t, explore.Holds, r.MutualExclusion.Status, "%v", r)
	assert.Equal(t, explore.Fails, r.StarvationFree.Status, "%v", r)
}

// A tryingOnly lock does so in a loop that is no Repeat.
type tryingOnly struct{ tryLocking }

func (l *tryingOnly) Lock(i int) {
	for !l.TryLock(i) { //nolint:revive // it is what is refused
	}
}

// An await under Try does not wait, wherever Try is called from: a lock that spins on
// TryLock neither waits nor is FIFO.
func TestLockByTrying(t *testing.T) {
	r, err := explore.Check(explore.Config{Processes: 2, New: func(n int) mutex.Mutex {
		l := &tryLocking{}
		l.procs = register.MakeProcesses("tryLocking", n)
		return l
	}})
	require.NoError(t, err)
	assert.Equal(t, explore.Holds, r.MutualExclusion.Status, "%v", r)
	assert.Equal(t, explore.Fails, r.StarvationFree.Status, "%v", r)
	assert.Equal(t, -1, r.Bypasses, "%v", r)
	_, err = explore.Check(explore.Config{Processes: 2, New: func(n int) mutex.Mutex {
		l := &tryingOnly{}
		l.procs = register.MakeProcesses("tryingOnly", n)
		return l
	}})
	var refused *explore.LockError
	require.ErrorAs(t, err, &refused)
}

// The condition of a panicking lock panics for a value that is written only later.
type panicking struct{ forgetful }

func (l *panicking) Lock(i int) {
	p := l.procs.Entry(i)
	l.taken.Await(p, func(v uint64) bool {
		if v == 1 {
			panic("one")
		}
		return v == 0
	})
	l.taken.Store(1)
	p.Inside()
}

func TestConditionPanics(t *testing.T) {
	_, err := explore.Check(explore.Config{Processes: 2, New: func(n int) mutex.Mutex {
		l := &panicking{}
		l.procs = register.MakeProcesses("panicking", n)
		return l
	}})
	var refused *explore.LockError
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, "the condition of this await panics for a value that the register can hold: one", refused.What)
	assert.NotZero(t, refused.Line)
}
