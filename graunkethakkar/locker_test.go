package graunkethakkar_test

import (
	"context"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/graunkethakkar"
	"example.org/doorway/stress"
)

// Goroutines enter in the order in which they come, also while the Locker makes more
// processes, and those that abort are passed over, wherever they are in the queue.
func TestLockerIsFIFO(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 50
		var l graunkethakkar.Locker
		l.Lock()
		ctx, cancel := context.WithCancel(t.Context())
		var order, want []int // the first is guarded by l
		var waiting sync.WaitGroup
		for i := range n {
			if i%3 != 0 {
				want = append(want, i)
			}
			waiting.Go(func() {
				if i%3 == 0 {
					assert.ErrorIs(t, l.LockContext(ctx), context.Canceled)
					return
				}
				l.Lock()
				order = append(order, i)
				l.Unlock()
			})
			synctest.Wait() // it has joined the queue
		}
		cancel()
		synctest.Wait()
		assert.False(t, l.TryLock())
		l.Unlock()
		waiting.Wait()
		assert.Equal(t, want, order)
		require.True(t, l.TryLock(), "the queue is empty")
		l.Unlock()
	})
}

// Thousands of goroutines enter by each way, and abort, while the Locker makes more
// processes; the race detector sees the count that it guards.
func TestLockerCrowd(t *testing.T) {
	var l graunkethakkar.Locker
	count, entries := 0, 0 // guarded by l
	enter := func() {
		count++
		assert.Equal(t, 1, count)
		entries++
		count--
		l.Unlock()
	}
	locked := 0
	var all sync.WaitGroup
	for k := range 3000 {
		if k%3 != 0 {
			locked += 5
		}
		all.Go(func() {
			for r := range 5 {
				switch {
				case k%3 != 0:
					l.Lock()
					enter()
				case r%2 == 0:
					if l.TryLock() {
						enter()
					}
				default:
					ctx, cancel := context.WithTimeout(t.Context(), time.Duration(rand.IntN(1000))*time.Microsecond)
					if l.LockContext(ctx) == nil {
						enter()
					}
					cancel()
				}
			}
		})
	}
	all.Wait()
	l.Lock()
	defer l.Unlock()
	assert.GreaterOrEqual(t, entries, locked)
}

// A Locker passes the stress suite, as a lock of as many processes as there are
// goroutines.
func TestLockerUnderStress(t *testing.T) {
	for _, n := range []int{1, 2, 8, 100} {
		r, err := stress.Run(&anyone{n: n}, stress.Config{Entries: 20000 / n})
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

// A Locker works with sync.Cond, and one goroutine may unlock what another has locked.
func TestLockerElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l graunkethakkar.Locker
		c := sync.NewCond(&l)
		ready := 0
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				l.Lock()
				for ready == 0 {
					c.Wait()
				}
				ready++
				l.Unlock()
			})
		}
		synctest.Wait()
		l.Lock()
		ready++
		all.Go(l.Unlock)
		c.Broadcast()
		all.Wait()
		assert.Equal(t, 21, ready)
	})
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
