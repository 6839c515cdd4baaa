package stress

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/tier"
	"example.org/doorway/mutex"
)

// After TestMutexFairness of Go's package sync: one goroutine holds the lock
// nearly all the time; another occasionally requests it, and must get it.
//
// A lock that is not starvation-free does not guarantee this: the hog may take it
// again before the other has woken; with lamportfast an entry can take seconds. For
// such locks, the hog pauses for as long as it holds the lock.
func TestGetsInBesideAHog(t *testing.T) {
	t.Parallel()
	for _, a := range catalog.Algorithms {
		m := a.New(2)
		shared := mutex.Share(a.New(2))
		var rest time.Duration
		if !a.Claims.StarvationFree {
			rest = holds
		}
		for name, lockers := range map[string][2]sync.Locker{
			"fixed":  {mutex.Locker(m, 0), mutex.Locker(m, 1)},
			"shared": {shared, shared},
		} {
			t.Run(a.Name+"/"+name, func(t *testing.T) {
				t.Parallel()
				besideAHog(t, lockers[0], rest, lockers[1])
			})
		}
	}
}

const holds = 100 * time.Microsecond

func besideAHog(t *testing.T, hog sync.Locker, rest time.Duration, other sync.Locker) {
	t.Helper()
	stop, done := make(chan struct{}), make(chan struct{})
	var both sync.WaitGroup
	both.Go(func() {
		for {
			hog.Lock()
			time.Sleep(holds)
			hog.Unlock()
			time.Sleep(rest)
			select {
			case <-stop:
				return
			default:
			}
		}
	})
	both.Go(func() {
		defer close(done)
		for range 10 {
			time.Sleep(holds)
			goThrough(other)
		}
	})
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Error("the other did not enter ten times in a minute")
		return
	}
	close(stop)
	both.Wait()
}

// goThrough locks and unlocks.
func goThrough(l sync.Locker) {
	l.Lock()
	defer l.Unlock()
}

// After TestMutex: TryLock on a locked and on a free lock.
func TestTryLock(t *testing.T) {
	t.Parallel()
	for _, a := range catalog.Algorithms {
		t.Run(a.Name, func(t *testing.T) {
			t.Parallel()
			m := a.New(2)
			m.Lock(0)
			require.False(t, m.TryLock(1), "TryLock with another inside")
			m.Unlock(0)
			eventually(t, func() bool { return m.TryLock(1) }) // an absorbed entry takes a moment
			m.Unlock(1)

			s := mutex.Share(a.New(2))
			s.Lock()
			require.False(t, s.TryLock(), "Shared.TryLock with another inside")
			s.Unlock()
			eventually(t, s.TryLock)
			s.Unlock()
		})
	}
}

// While a process is inside, LockContext blocks until its deadline.
func TestLockContextGivesUp(t *testing.T) {
	t.Parallel()
	for _, a := range catalog.Algorithms {
		t.Run(a.Name, func(t *testing.T) {
			t.Parallel()
			m := a.New(2)
			m.Lock(0)
			for range 10 {
				ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
				require.ErrorIs(t, m.LockContext(ctx, 1), context.DeadlineExceeded, "LockContext with another inside")
				cancel()
			}
			m.Unlock(0)
			goThrough(mutex.Locker(m, 1)) // the aborted acquisition left no trace
		})
	}
}

func eventually(t *testing.T, f func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !f(); {
		if time.Now().After(deadline) {
			t.Fatal("not within a minute")
		}
	}
}

// After HammerMutex: a third of the goroutines try, the others lock.
func TestHammerMutex(t *testing.T) {
	t.Parallel()
	loops := tier.Pick(200, 1000)
	for _, a := range catalog.Algorithms {
		t.Run(a.Name, func(t *testing.T) {
			t.Parallel()
			s := mutex.Share(a.New(10))
			var all sync.WaitGroup
			for k := range 10 {
				all.Go(func() {
					for i := range loops {
						if (i+k)%3 != 0 {
							s.Lock()
						} else if !s.TryLock() {
							continue
						}
						s.Unlock()
					}
				})
			}
			all.Wait()
		})
	}
}

// One goroutine can lock and another unlock, and a Shared can be the Locker of a
// condition, as a sync.Mutex can.
func TestCond(t *testing.T) {
	t.Parallel()
	for _, a := range catalog.Algorithms {
		t.Run(a.Name, func(t *testing.T) {
			t.Parallel()
			s := mutex.Share(a.New(2))
			c := sync.NewCond(s)
			turn := 0
			var all sync.WaitGroup
			const goroutines, rounds = 5, 200
			for k := range goroutines {
				all.Go(func() {
					for range rounds {
						s.Lock()
						for turn%goroutines != k {
							c.Wait()
						}
						turn++
						c.Broadcast()
						s.Unlock()
					}
				})
			}
			all.Wait()
			assert.Equal(t, goroutines*rounds, turn, "turns")
		})
	}
}
