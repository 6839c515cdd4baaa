//go:build doorway_explore

package explore_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/explore"
	"example.org/doorway/mutex"
	"example.org/doorway/register"
)

// A loop counts for a Repeat where a method is known to reach it once, which is why these locks
// are types.

type retried struct{ *lock }

func (l retried) Lock(i int) { p := l.procs.Entry(i); l.enter(p); p.Inside() }

func (l retried) enter(p *register.Process) bool {
	for !l.reg[0].CompareAndSwap(0, 1) {
		if !l.reg[0].Await(p, zero) {
			return false
		}
	}
	return true
}

func (l retried) TryLock(i int) bool { return l.procs.Try(i, l.enter) }

func (l retried) LockContext(ctx context.Context, i int) error {
	return l.procs.Context(ctx, i, l.enter)
}

func repeated(l *lock, p *register.Process) bool {
	return register.Repeat(func() register.Outcome {
		if l.reg[0].CompareAndSwap(0, 1) {
			return register.Entered
		}
		return register.AgainIf(l.reg[0].Await(p, zero))
	})
}

// A textbook has Dekker's algorithm as it is printed.
type textbook struct{ *lock }

func (l textbook) Lock(i int) {
	p, j := l.procs.Entry(i), 1-i
	l.reg[i].Store(1)
	p.Doorway()
	for l.reg[j].Load() != 0 {
		if l.turn.Load() != uint64(i) {
			l.reg[i].Store(0)
			l.turn.Await(p, func(v uint64) bool { return v == uint64(i) })
			l.reg[i].Store(1)
		}
	}
	p.Inside()
}

// A loop of which each round begins as the first did is explored as a Repeat.
func TestRounds(t *testing.T) {
	loop := func(n int) mutex.Mutex { return retried{newLock(n, nil, reset)} }
	dekker := func(n int) mutex.Mutex { return textbook{newLock(n, nil, dekkersExit)} }
	for name, c := range map[string]struct {
		loop, repeat func(n int) mutex.Mutex
		explore.Config
	}{
		"retried 2":       {loop, aborting(repeated, reset), explore.Config{Processes: 2}},
		"retried 3":       {loop, aborting(repeated, reset), explore.Config{Processes: 3}},
		"retried aborted": {loop, aborting(repeated, reset), explore.Config{Processes: 2, GiveUp: true}},
		"Dekker":          {dekker, making(dekkers, dekkersExit), explore.Config{Processes: 2}},
	} {
		c.New = c.loop
		got := check(t, c.Config)
		c.New = c.repeat
		want := check(t, c.Config)
		assert.Equal(t, explore.Holds, got.MutualExclusion.Status, name)
		assert.Equal(t, [2]int{want.States, want.Transitions}, [2]int{got.States, got.Transitions}, name)
		assert.Equal(t, verdicts(want), verdicts(got), name)
	}
}

// An impatient lock enters anyway after a round.
type impatient struct{ *lock }

func (l impatient) Lock(i int) {
	p, tries := l.procs.Entry(i), 0
	for tries < 2 && !l.reg[0].CompareAndSwap(0, 1) {
		l.reg[0].Await(p, zero)
		tries++
	}
	p.Inside()
}

// A passing lock is taken and given back, several times, and entered without it.
type passing struct{ *lock }

func (l passing) pass(p *register.Process) {
	for !l.reg[0].CompareAndSwap(0, 1) {
		l.reg[0].Await(p, zero)
	}
	l.reg[0].Store(0)
}

func (l passing) Lock(i int) {
	p := l.procs.Entry(i)
	for range 2 {
		l.pass(p)
	}
	p.Inside()
}

// A counting lock counts its tries.
type counting struct{ *lock }

func (l counting) Lock(i int) {
	p := l.procs.Entry(i)
	for tries := 0; !l.reg[0].CompareAndSwap(0, 1); tries++ {
		l.reg[0].Await(p, zero)
	}
	p.Inside()
}

// A scanning lock has a scan in each round, and enters after it.
type scanning struct{ *lock }

func (l scanning) Lock(i int) {
	p := l.procs.Entry(i)
	for !l.reg[0].CompareAndSwap(0, 1) {
		for range 2 {
			l.reg[0].Await(p, zero)
		}
		if l.reg[0].Load() == 0 {
			break
		}
	}
	p.Inside()
}

// A loop that carries something over, or is reached again by another loop, is not
// explored as a Repeat. If it has no longest history, the error says so, and how to cure it.
func TestNoRounds(t *testing.T) {
	for name, of := range map[string]func(l *lock) mutex.Mutex{
		"impatient": func(l *lock) mutex.Mutex { return impatient{l} },
		"passing":   func(l *lock) mutex.Mutex { return passing{l} },
		"counting":  func(l *lock) mutex.Mutex { return counting{l} },
		"scanning":  func(l *lock) mutex.Mutex { return scanning{l} },
	} {
		r, err := explore.Check(explore.Config{Processes: 2, New: func(n int) mutex.Mutex { return of(newLock(n, nil, reset)) }})
		var refused *explore.LockError
		if err == nil && name != "counting" && name != "scanning" {
			assert.Equal(t, explore.Fails, r.MutualExclusion.Status, name)
		} else if assert.True(t, errors.As(err, &refused), "%s: %v", name, err) {
			assert.Contains(t, refused.What, "a loop that only registers end must be a register.Repeat", name)
			assert.NotContains(t, refused.What, "plain loads", name)
		}
	}
}
