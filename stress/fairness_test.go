package stress

import (
	"sync"
	"testing"
	"time"

	"example.org/doorway/internal/catalog"
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
