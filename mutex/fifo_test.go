package mutex_test

import (
	"context"
	"runtime"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/tier"
	"example.org/doorway/mutex"
	"example.org/doorway/stress"
)

// anyone is a FIFO for n goroutines.
type anyone struct {
	lock mutex.FIFO
	n    int
}

func (a *anyone) Processes() int                               { return a.n }
func (a *anyone) FIFO() bool                                   { return true }
func (a *anyone) Lock(int)                                     { a.lock.Lock() }
func (a *anyone) TryLock(int) bool                             { return a.lock.TryLock() }
func (a *anyone) LockContext(ctx context.Context, _ int) error { return a.lock.LockContext(ctx) }
func (a *anyone) Unlock(int)                                   { a.lock.Unlock() }

// A FIFO passes the stress suite, as a lock of as many processes as there are goroutines,
// which enter by each way, and abort.
func TestFIFOUnderStress(t *testing.T) {
	for _, n := range []int{1, 2, 8, tier.Pick(300, 3000)} {
		r, err := stress.Run(&anyone{n: n}, stress.Config{Entries: max(5, 20000/n), GiveUp: 0.3})
		require.NoError(t, err)
		require.NoError(t, r.Err())
	}
}

// It is small, and allocates nothing uncontended.
func TestFIFOAlone(t *testing.T) {
	assert.LessOrEqual(t, unsafe.Sizeof(mutex.FIFO{}), uintptr(40))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var l mutex.FIFO
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		l.Lock()
		l.Unlock()
		if l.TryLock() {
			l.Unlock()
		}
		if l.LockContext(ctx) == nil {
			l.Unlock()
		}
	}))
}

// Goroutines enter in the order in which they came, but those that have aborted, whichever
// they are. Then the lock is free.
func TestFIFOOrder(t *testing.T) {
	const n = 6
	for leavers := range 1 << n {
		synctest.Test(t, func(t *testing.T) {
			var l mutex.FIFO
			l.Lock()
			ctx, cancel := context.WithCancel(t.Context())
			var order, want []int // order is guarded by l
			for i := range n {
				come := ctx
				if leavers>>i&1 == 0 {
					come, want = t.Context(), append(want, i)
				}
				go func() {
					if l.LockContext(come) == nil {
						order = append(order, i)
						l.Unlock()
					}
				}()
				synctest.Wait() // it has joined the queue
			}
			assert.False(t, l.TryLock())
			cancel()
			synctest.Wait()
			l.Unlock()
			synctest.Wait()
			assert.Equal(t, want, order, "leavers %b", leavers)
			assert.True(t, l.TryLock())
			l.Unlock()
		})
	}
}

// Goroutines that unlock a FIFO at once, which one of them has locked, harm no other FIFO: who finds it
// unlocked, or another unlocking, panics.
func TestFIFOUnlockedTwice(t *testing.T) {
	var wrong, right mutex.FIFO
	var inside, both atomic.Int32
	var all sync.WaitGroup
	unlock := func() {
		defer func() { _ = recover() }()
		wrong.Unlock()
	}
	for range 4 {
		all.Go(func() {
			for range tier.Pick(1_000, 20_000) {
				wrong.Lock()
				runtime.Gosched()
				var exits sync.WaitGroup
				exits.Go(unlock)
				exits.Go(unlock)
				exits.Wait()
			}
		})
		all.Go(func() {
			for range tier.Pick(1_000, 20_000) {
				right.Lock()
				if inside.Add(1) > 1 {
					both.Add(1)
				}
				runtime.Gosched()
				inside.Add(-1)
				right.Unlock()
			}
		})
	}
	all.Wait()
	assert.Zero(t, both.Load(), "entries while another was inside")
}

// Aborts cost the same, however many there are, and start no goroutine; then an exit skips
// them all. Of three times, the fastest counts: the machine may be busy.
func TestFIFOAborts(t *testing.T) {
	n, within := 100_000, time.Second
	if tier.Race {
		within *= 10
	}
	before, fastest := goroutines(), time.Hour
	for range 3 {
		var l mutex.FIFO
		l.Lock()
		start := time.Now()
		for range n {
			assert.ErrorIs(t, l.LockContext(&brief{Context: t.Context()}), context.Canceled)
		}
		l.Unlock()
		fastest = min(fastest, time.Since(start))
		assert.True(t, l.TryLock())
	}
	assert.Less(t, fastest, within)
	assert.Less(t, goroutines()-before, n/100, "goroutines started") // the runtime starts some
}

// A brief context is done as soon as a goroutine waits, from the third look on.
type brief struct {
	context.Context
	looks int
}

func (b *brief) Done() <-chan struct{} { return over }

func (b *brief) Err() error {
	if b.looks++; b.looks > 2 {
		return context.Canceled
	}
	return nil
}

var over = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// goroutines returns how many have been started so far.
func goroutines() int {
	s := []metrics.Sample{{Name: "/sched/goroutines-created:goroutines"}}
	metrics.Read(s)
	return int(s[0].Value.Uint64())
}

var global mutex.FIFO // may be used by any test

// contend has goroutines wait for l, one of which aborts.
func contend(t *testing.T, l *mutex.FIFO) {
	t.Helper()
	var all sync.WaitGroup
	entered := 0 // guarded by l
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	l.Lock()
	for range 20 {
		all.Go(func() {
			l.Lock()
			entered++
			l.Unlock()
		})
		all.Go(func() {
			if l.LockContext(ctx) == nil {
				l.Unlock()
			}
		})
	}
	time.Sleep(time.Microsecond) // in a bubble: until all wait
	cancel()
	l.Unlock()
	all.Wait()
	assert.Equal(t, 20, entered)
}

// A FIFO that has been used in a bubble can be used in another, and outside, and the other way
// round: nothing of it belongs to a bubble once no goroutine waits.
func TestFIFOInBubbles(t *testing.T) {
	for range 3 {
		synctest.Test(t, func(t *testing.T) { contend(t, &global) })
		contend(t, &global)
	}
}

// FIFOs that are used in several bubbles at once share what their waiters sleep on.
func TestFIFOsInBubbles(t *testing.T) {
	for range 8 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			for range tier.Pick(100, 1000) {
				synctest.Test(t, func(t *testing.T) { contend(t, new(mutex.FIFO)) })
			}
		})
	}
}

// A FIFO can be the Locker of a Cond: all that wait there are woken, and each enters again.
func TestFIFOInCond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l mutex.FIFO
		cond, ready, woken := sync.NewCond(&l), false, 0
		for range 10 {
			go func() {
				l.Lock()
				defer l.Unlock()
				for !ready {
					cond.Wait()
				}
				woken++
			}()
		}
		synctest.Wait()
		l.Lock()
		ready = true
		l.Unlock()
		cond.Broadcast()
		synctest.Wait()
		l.Lock()
		assert.Equal(t, 10, woken)
	})
}

// A goroutine that panics or exits in its critical section leaves the lock to the next, and
// one whose context panics has not come.
func TestFIFOPanics(t *testing.T) {
	var l mutex.FIFO
	for _, end := range []func(){func() { panic("ends") }, runtime.Goexit} {
		_, returned := ended(func() {
			l.Lock()
			defer l.Unlock()
			end()
		})
		assert.False(t, returned)
		assert.True(t, l.TryLock())
		panicked, _ := ended(func() { _ = l.LockContext(doneless{t.Context()}) })
		assert.Equal(t, "no Done", panicked)
		l.Unlock()
	}
	contend(t, &l)
}

type doneless struct{ context.Context }

func (doneless) Done() <-chan struct{} { panic("no Done") }

func TestFIFOMisuse(t *testing.T) {
	const notLocked = "mutex: unlock of a FIFO that is not locked"
	var l mutex.FIFO
	assert.PanicsWithValue(t, notLocked, l.Unlock)
	l.Lock()
	l.Unlock()
	assert.PanicsWithValue(t, notLocked, l.Unlock)
	assert.PanicsWithValue(t, "mutex: LockContext of a FIFO with a nil Context", func() {
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
