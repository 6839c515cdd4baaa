package mutex_test

import (
	"context"
	"path"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/bakery"
	"example.org/doorway/internal/memory/hook"
	"example.org/doorway/lamportfast"
	"example.org/doorway/mutex"
)

// The functions that call the Lock of a Shared in the tests below.

func transfer(l sync.Locker, took time.Duration) {
	l.Lock()
	defer l.Unlock()
	time.Sleep(took)
}

func audit(ctx context.Context, l *mutex.Shared) error { return l.LockContext(ctx) }

// told returns the calls as their Strings, without the line.
func told(l *mutex.Shared) (lines []string) {
	for _, c := range l.Watch() {
		text, _, _ := strings.Cut(c.String(), " (watch_test.go:")
		lines = append(lines, text)
	}
	return lines
}

// A Shared that is watched tells who is inside and who waits, over a lock of each order.
func TestWatch(t *testing.T) {
	const inLine = "waits for 2s in the queue, from mutex_test.transfer"
	for name, c := range map[string]struct {
		new    func() mutex.Mutex
		second string
	}{
		// Over a lock that declares its order, one at a time is admitted while another is inside.
		"first come": {func() mutex.Mutex { return bakery.New(2) }, "waits for 2s as process 1, from mutex_test.transfer"},
		"barging":    {func() mutex.Mutex { return lamportfast.New(8) }, "waits for 2s as process 1, from mutex_test.transfer"},
		"undeclared": {func() mutex.Mutex { return undeclaredOf(2) }, "waits for 2s as process 1, from mutex_test.transfer"},
		"one":        {func() mutex.Mutex { return undeclaredOf(1) }, inLine},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := mutex.Share(c.new())
				assert.Empty(t, told(l))
				go transfer(l, 3*time.Second)
				synctest.Wait()
				time.Sleep(time.Second)
				for range 2 {
					go transfer(l, time.Second)
					synctest.Wait()
				}
				time.Sleep(time.Second)
				ctx, cancel := context.WithCancel(t.Context())
				go func() { assert.Error(t, audit(ctx, l)) }()
				time.Sleep(time.Second - time.Nanosecond)

				assert.Equal(t, []string{
					"inside for 3s as process 0, from mutex_test.transfer",
					c.second,
					inLine,
					"waits for 1s in the queue, from mutex_test.audit",
				}, told(l))

				cancel()
				synctest.Wait()
				assert.Len(t, told(l), 3, "after one of them has aborted")
				time.Sleep(time.Millisecond)
				calls := l.Watch()
				require.Len(t, calls, 2, "after one has left")
				assert.True(t, calls[0].Inside)
				assert.Less(t, time.Since(calls[0].Since), time.Second, "since it entered")
				assert.False(t, calls[1].Inside)
				time.Sleep(2 * time.Second)
				assert.Empty(t, told(l), "after all have left")
			})
		})
	}
}

// A call that was made before the first Watch is not known, and does no harm.
func TestWatchBeginsWithTheFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := mutex.Share(bakery.New(1))
		for range 3 {
			go transfer(l, time.Second)
		}
		time.Sleep(time.Second / 2)
		assert.Empty(t, l.Watch())
		assert.Empty(t, l.Watch(), "calls that were made before")
		go transfer(l, time.Second)
		synctest.Wait()
		assert.Equal(t, []string{"waits for 0s in the queue, from mutex_test.transfer"}, told(l))
		time.Sleep(3 * time.Second)
		assert.Equal(t, []string{"inside for 500ms as process 0, from mutex_test.transfer"}, told(l))
		time.Sleep(time.Second)
		assert.Empty(t, told(l))
	})
}

// TryLock and a sync.Cond call Lock too. A call that fails is not told.
func TestWatchOtherCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &faulty{Abortable: bakery.New(2)}
		l := mutex.Share(f)
		l.Watch()

		require.True(t, l.TryLock())
		assert.False(t, l.TryLock())
		assert.Equal(t, []string{"inside for 0s as process 0, from mutex_test.TestWatchOtherCalls.func1"}, told(l))

		changed := sync.NewCond(l)
		go func() {
			changed.L.Lock()
			changed.Wait()
			changed.L.Unlock()
		}()
		synctest.Wait()
		l.Unlock()
		synctest.Wait()
		assert.Empty(t, told(l), "it waits for the Cond")
		l.Lock()
		changed.Signal()
		synctest.Wait()
		assert.Equal(t, []string{
			"inside for 0s as process 0, from mutex_test.TestWatchOtherCalls.func1",
			"waits for 0s as process 1, from mutex_test.TestWatchOtherCalls.func1.1",
		}, told(l))
		l.Unlock()
		synctest.Wait()

		f.instead = func() { panic("closed") }
		_, returned := ended(l.Lock)
		require.False(t, returned)
		assert.Empty(t, told(l), "after a Lock that has panicked")
	})
}

// Watch can be called at any time, also while the lock is in use.
func TestWatchConcurrently(t *testing.T) {
	for _, m := range []mutex.Mutex{bakery.New(3), lamportfast.New(3), undeclaredOf(3)} {
		l := mutex.Share(m)
		l.Watch()
		stop := make(chan struct{})
		var users, watchers sync.WaitGroup
		for range 2 {
			watchers.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
						for _, c := range l.Watch() {
							assert.Equal(t, "watch_test.go", path.Base(c.Caller.File))
						}
						runtime.Gosched()
					}
				}
			})
		}
		for range 8 {
			users.Go(func() {
				for range 200 {
					transfer(l, 0)
				}
			})
		}
		users.Wait()
		close(stop)
		watchers.Wait()
		assert.Empty(t, l.Watch(), "%T: when it is not in use", m)
	}
}

// Waiting is in the block profile, with the line that waits, and not in the mutex
// profile, which has only the locks of package sync.
func TestWaitingIsInTheBlockProfile(t *testing.T) {
	fraction := runtime.SetMutexProfileFraction(1)
	runtime.SetBlockProfileRate(1)
	defer func() {
		runtime.SetBlockProfileRate(0)
		runtime.SetMutexProfileFraction(fraction)
	}()
	profiled := func(profile, call string) bool {
		var b strings.Builder
		require.NoError(t, pprof.Lookup(profile).WriteTo(&b, 1))
		return slices.ContainsFunc(strings.Split(b.String(), " @ "), func(stack string) bool {
			return strings.Contains(stack, call) && strings.Contains(stack, "mutex_test.transfer")
		})
	}
	synctest.Test(t, func(*testing.T) {
		l, m := mutex.Share(bakery.New(2)), bakery.New(2)
		var running sync.WaitGroup
		for _, l := range []sync.Locker{l, l, mutex.Locker(m, 0), mutex.Locker(m, 1)} {
			running.Go(func() { transfer(l, time.Second) })
			synctest.Wait()
		}
		running.Wait()
	})
	assert.True(t, profiled("block", "mutex.(*Shared).Lock"))
	assert.True(t, profiled("block", "bakery.(*Lock).Lock"))
	assert.False(t, profiled("mutex", "mutex.(*Shared).Unlock"))
	assert.False(t, profiled("mutex", "bakery.(*Lock).Unlock"))

	var mu sync.Mutex
	for !profiled("mutex", "sync.(*Mutex).Unlock") { // one has waited for the other
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() { transfer(&mu, time.Millisecond) })
		}
		both.Wait()
	}
}

// The costs are those that Watch gives.
func TestWatchAllocates(t *testing.T) {
	if hook.Hosted {
		t.Skip("a build that can have a host allocates operations for it")
	}
	l := mutex.Share(bakery.New(2))
	l.Watch()
	assert.Equal(t, 2.0, testing.AllocsPerRun(1000, func() {
		l.Lock()
		l.Unlock()
	}))
}
