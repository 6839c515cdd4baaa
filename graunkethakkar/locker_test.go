package graunkethakkar_test

import (
	"context"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/graunkethakkar"
	"example.org/doorway/internal/tier"
	"example.org/doorway/stress"
)

// A Locker passes the stress suite, as a lock of as many processes as there are
// goroutines, which enter by each way, and abort, while the Locker makes more processes.
func TestLockerUnderStress(t *testing.T) {
	for _, n := range []int{1, 2, 8, tier.Pick(300, 3000)} {
		r, err := stress.Run(&anyone{n: n}, stress.Config{Entries: max(5, 20000/n), GiveUp: 0.3})
		require.NoError(t, err)
		require.NoError(t, r.Err())
	}
}

// anyone is a Locker for n goroutines.
type anyone struct {
	graunkethakkar.Locker
	n int
}

func (a *anyone) Processes() int                               { return a.n }
func (a *anyone) FIFO() bool                                   { return true }
func (a *anyone) Lock(int)                                     { a.Locker.Lock() }
func (a *anyone) TryLock(int) bool                             { return a.Locker.TryLock() }
func (a *anyone) LockContext(ctx context.Context, _ int) error { return a.Locker.LockContext(ctx) }
func (a *anyone) Unlock(int)                                   { a.Locker.Unlock() }

// Once as many processes have been made as goroutines come at once, nothing is allocated:
// those of acquisitions that were aborted are used again.
func TestLockerAllocs(t *testing.T) {
	var l graunkethakkar.Locker
	var all sync.WaitGroup
	l.Lock()
	ctx, cancel := context.WithCancel(t.Context())
	for range 20 {
		all.Go(func() { assert.Error(t, l.LockContext(ctx)) })
	}
	runtime.Gosched()
	cancel()
	all.Wait()
	l.Unlock()
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		l.Lock()
		l.Unlock()
		if l.TryLock() {
			l.Unlock()
		}
		if l.LockContext(t.Context()) == nil {
			l.Unlock()
		}
	}))
}

func TestLockerMisuse(t *testing.T) {
	const notLocked = "graunkethakkar: unlock of a Locker that is not locked"
	var l graunkethakkar.Locker
	assert.PanicsWithValue(t, notLocked, l.Unlock)
	l.Lock()
	l.Unlock()
	assert.PanicsWithValue(t, notLocked, l.Unlock)
	assert.PanicsWithValue(t, "graunkethakkar: LockContext of a Locker with a nil Context", func() {
		var none context.Context
		_ = l.LockContext(none)
	})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	assert.ErrorIs(t, l.LockContext(ctx), context.Canceled)
	assert.True(t, l.TryLock(), "after misuse it works as before")
	assert.False(t, l.TryLock())
	l.Unlock()
}
