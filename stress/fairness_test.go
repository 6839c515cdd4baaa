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
// all the time, save for an instant; another wants it now and then, and gets it.
//
// A lock that is not free of starvation promises no such thing, and the hog
// takes it again before the other has woken: of lamportfast, it can take
// seconds to get in. There the hog rests for as long as it holds.
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
		t.Error("the other did not get in ten times in a minute")
		return
	}
	close(stop)
	both.Wait()
}

// goThrough gets in, which is all that it wants.
func goThrough(l sync.Locker) {
	l.Lock()
	defer l.Unlock()
}

// After TestMutex: what TryLock finds locked and what it finds free.
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

// Who is inside keeps out all who give up, for as long as they have patience.
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
			goThrough(mutex.Locker(m, 1)) // as if it had never given up
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

// A lock can be handed on by whoever is inside to a goroutine that unlocks it,
// and wake waiters of a condition, as a sync.Mutex does.
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
