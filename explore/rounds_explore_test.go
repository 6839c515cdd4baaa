//go:build doorway_explore

package explore_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/mutex"
	"example.org/doorway/register"
)

func free(v uint64) bool { return v == 0 }

// A taken lock has a register that is 0 if it is free.
type taken struct {
	procs register.Processes
	x     register.Word
	turn  register.Word
	want  [3]register.Word
}

func makeTaken(n int) taken { return taken{procs: register.MakeProcesses("taken", n)} }

func (l *taken) Processes() int { return l.procs.Len() }
func (l *taken) Unlock(i int)   { l.procs.Exit(i); l.x.Store(0) }

type retried struct{ taken }

func (l *retried) Lock(i int) {
	p := l.procs.Entry(i)
	for !l.x.CompareAndSwap(0, 1) {
		l.x.Await(p, free)
	}
	p.Inside()
}

type repeated struct{ taken }

func (l *repeated) Lock(i int) {
	p := l.procs.Entry(i)
	register.Repeat(func() register.Outcome {
		if l.x.CompareAndSwap(0, 1) {
			return register.Entered
		}
		l.x.Await(p, free)
		return register.Again
	})
	p.Inside()
}

// abortedLoop is retried, with aborts.
type abortedLoop struct{ retried }

func (l *abortedLoop) enter(p *register.Process) bool {
	for !l.x.CompareAndSwap(0, 1) {
		if !l.x.Await(p, free) {
			return false
		}
	}
	p.Inside()
	return true
}

func (l *abortedLoop) TryLock(i int) bool { return l.procs.Try(i, l.enter) }
func (l *abortedLoop) LockContext(ctx context.Context, i int) error {
	return l.procs.Context(ctx, i, l.enter)
}

// abortedRepeat is abortedLoop with Repeat.
type abortedRepeat struct{ repeated }

func (l *abortedRepeat) enter(p *register.Process) bool {
	entered := register.Repeat(func() register.Outcome {
		if l.x.CompareAndSwap(0, 1) {
			return register.Entered
		}
		return register.AgainIf(l.x.Await(p, free))
	})
	if entered {
		p.Inside()
	}
	return entered
}

func (l *abortedRepeat) TryLock(i int) bool { return l.procs.Try(i, l.enter) }
func (l *abortedRepeat) LockContext(ctx context.Context, i int) error {
	return l.procs.Context(ctx, i, l.enter)
}

// textbook is Dekker's algorithm as it is printed.
type textbook struct{ taken }

func (l *textbook) Lock(i int) {
	p, j := l.procs.Entry(i), 1-i
	l.want[i].Store(1)
	for l.want[j].Load() == 1 {
		if l.turn.Load() == uint64(j) {
			l.want[i].Store(0)
			l.turn.Await(p, func(v uint64) bool { return v == uint64(i) })
			l.want[i].Store(1)
		}
	}
	p.Inside()
}

func (l *textbook) Unlock(i int) {
	l.procs.Exit(i)
	l.turn.Store(uint64(1 - i))
	l.want[i].Store(0)
}

// dekkerRepeat is textbook with Repeat.
type dekkerRepeat struct{ textbook }

func (l *dekkerRepeat) Lock(i int) {
	p, j := l.procs.Entry(i), 1-i
	l.want[i].Store(1)
	register.Repeat(func() register.Outcome {
		if l.want[j].Load() != 1 {
			return register.Entered
		}
		if l.turn.Load() == uint64(j) {
			l.want[i].Store(0)
			l.turn.Await(p, func(v uint64) bool { return v == uint64(i) })
			l.want[i].Store(1)
		}
		return register.Again
	})
	p.Inside()
}

// A loop of which each round begins as the first did is explored as a Repeat.
func TestRounds(t *testing.T) {
	for name, c := range map[string]struct {
		loop, repeat func(n int) mutex.Mutex
		config       explore.Config
	}{
		"retried 2":       {func(n int) mutex.Mutex { return &retried{makeTaken(n)} }, func(n int) mutex.Mutex { return &repeated{makeTaken(n)} }, explore.Config{Processes: 2}},
		"retried 3":       {func(n int) mutex.Mutex { return &retried{makeTaken(n)} }, func(n int) mutex.Mutex { return &repeated{makeTaken(n)} }, explore.Config{Processes: 3}},
		"retried aborted": {func(n int) mutex.Mutex { return &abortedLoop{retried{makeTaken(n)}} }, func(n int) mutex.Mutex { return &abortedRepeat{repeated{makeTaken(n)}} }, explore.Config{Processes: 2, GiveUp: true}},
		"Dekker":          {func(n int) mutex.Mutex { return &textbook{makeTaken(n)} }, func(n int) mutex.Mutex { return &dekkerRepeat{textbook{makeTaken(n)}} }, explore.Config{Processes: 2}},
	} {
		t.Run(name, func(t *testing.T) {
			check := func(lock func(n int) mutex.Mutex) *explore.Report {
				c.config.New = lock
				r, err := explore.Check(c.config)
				require.NoError(t, err)
				return r
			}
			got, want := check(c.loop), check(c.repeat)
			t.Log(got.States, want.States)
			assert.Equal(t, want.States, got.States)
			assert.Equal(t, want.Transitions, got.Transitions)
			assert.Equal(t, explore.Holds, got.MutualExclusion.Status)
			assert.Equal(t, want.DeadlockFree.Status, got.DeadlockFree.Status)
			assert.Equal(t, want.StarvationFree.Status, got.StarvationFree.Status)
			assert.Equal(t, want.FIFO.Status, got.FIFO.Status)
			assert.Equal(t, want.RaceFree.Status, got.RaceFree.Status)
		})
	}
}

// impatient enters anyway after a round.
type impatient struct{ taken }

func (l *impatient) Lock(i int) {
	p, tries := l.procs.Entry(i), 0
	for tries < 2 && !l.x.CompareAndSwap(0, 1) {
		l.x.Await(p, free)
		tries++
	}
	p.Inside()
}

// passing takes the lock and gives it back, several times, and enters without it.
type passing struct{ taken }

func (l *passing) pass(p *register.Process) {
	for !l.x.CompareAndSwap(0, 1) {
		l.x.Await(p, free)
	}
	l.x.Store(0)
}

func (l *passing) Lock(i int) {
	p := l.procs.Entry(i)
	for range 2 {
		l.pass(p)
	}
	p.Inside()
}

// scanning has a scan in each round, and enters after it.
type scanning struct{ taken }

func (l *scanning) Lock(i int) {
	p := l.procs.Entry(i)
	for !l.x.CompareAndSwap(0, 1) {
		for range 2 {
			l.x.Await(p, free)
		}
		if l.x.Load() == 0 {
			break
		}
	}
	p.Inside()
}

// A loop that carries something over, or is reached again by another loop, is not
// explored as a Repeat.
func TestNoRounds(t *testing.T) {
	for name, lock := range map[string]func(n int) mutex.Mutex{
		"counts": func(n int) mutex.Mutex { return &impatient{makeTaken(n)} },
		"outer":  func(n int) mutex.Mutex { return &passing{makeTaken(n)} },
	} {
		t.Run(name, func(t *testing.T) {
			r, err := explore.Check(explore.Config{Processes: 2, New: lock})
			var refused *explore.LockError
			if errors.As(err, &refused) {
				assert.Contains(t, refused.What, "a loop that only registers end must be a register.Repeat")
				return
			}
			require.NoError(t, err)
			assert.Equal(t, explore.Fails, r.MutualExclusion.Status)
		})
	}
	_, err := explore.Check(explore.Config{Processes: 2, New: func(n int) mutex.Mutex { return &scanning{makeTaken(n)} }})
	require.ErrorContains(t, err, "must be a register.Repeat")
}
