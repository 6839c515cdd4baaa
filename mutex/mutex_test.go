package mutex_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/bakery"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/lamportfast"
	"example.org/doorway/mutex"
)

// every runs f, in a synctest bubble, with every algorithm of the catalog at several n.
func every(t *testing.T, f func(t *testing.T, a catalog.Algorithm, n int)) {
	t.Helper()
	for _, a := range catalog.Algorithms {
		for _, n := range []int{1, 2, 3, 5, 9} {
			if a.For(n) {
				t.Run(fmt.Sprintf("lock=%s/n=%d", a.Name, n), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) { f(t, a, n) })
				})
			}
		}
	}
}

// bare is a Mutex that is not Abortable.
type bare struct{ mutex.Mutex }

// undeclared is a Mutex that declares no order.
type undeclared struct{ mutex.Abortable }

func undeclaredOf(n int) mutex.Mutex { return undeclared{bakery.NewClassic(n)} }

// While one process is inside, the others try, wait, and abort, in every order. Once it has left, every process can enter: the aborted acquisitions left no trace.
func TestGivingUpLeavesNothingBehind(t *testing.T) {
	every(t, func(t *testing.T, a catalog.Algorithm, n int) {
		m := a.New(n)
		for inside := range n {
			m.Lock(inside)
			for i := range n {
				if i == inside {
					continue
				}
				go func() {
					for k := range 3 {
						assert.False(t, m.TryLock(i), "process %d entered by TryLock while process %d was inside", i, inside)
						ctx, cancel := context.WithTimeout(t.Context(), time.Duration(1+(i+k)%3)*time.Second)
						assert.ErrorIs(t, m.LockContext(ctx, i), context.DeadlineExceeded, "process %d while process %d was inside", i, inside)
						cancel()
					}
				}()
			}
			time.Sleep(time.Minute) // of the bubble: until all have aborted for good
			m.Unlock(inside)
			synctest.Wait()
			for i := range n {
				m.Lock(i)
				m.Unlock(i)
				require.True(t, m.TryLock(i), "TryLock of process %d failed without contention", i)
				m.Unlock(i)
				require.NoError(t, m.LockContext(t.Context(), i))
				m.Unlock(i)
			}
		}
	})
}

// Over a FIFO lock, goroutines enter in the order in which they came, however many
// processes there are; over any other that serves one, too. One that aborts delays no other.
func TestSharedIsFirstComeFirstServed(t *testing.T) {
	every(t, func(t *testing.T, a catalog.Algorithm, n int) {
		s := mutex.Share(a.New(n))
		if !a.Claims.FIFO {
			s = mutex.Share(undeclaredOf(1))
		}
		var order, want []int
		s.Lock()
		for k := range 20 {
			aborts := k%3 == 1
			if !aborts {
				want = append(want, k)
			}
			go func() {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if aborts {
					ctx, cancel = context.WithTimeout(ctx, time.Second)
					defer cancel()
				}
				if s.LockContext(ctx) == nil {
					order = append(order, k)
					time.Sleep(time.Minute) // of the bubble
					s.Unlock()
				}
			}()
			synctest.Wait()
		}
		time.Sleep(2 * time.Second) // a third aborts
		s.Unlock()
		time.Sleep(time.Hour)
		synctest.Wait()
		assert.Equal(t, want, order)
	})
}

// However long critical sections last, a process waits as if each of the others entered about
// once before it, or some milliseconds if the lock is not FIFO, and not until they have
// entered hundreds of times. So does a goroutine that shares the lock.
func TestWaitingIsBoundedByTheClock(t *testing.T) {
	for _, a := range catalog.Algorithms {
		for _, shared := range []bool{false, true} {
			for _, hogs := range []int{1, 8} {
				for _, section := range []time.Duration{100 * time.Microsecond, time.Millisecond, 5 * time.Millisecond} {
					if !shared && !a.For(hogs+1) {
						continue
					}
					t.Run(fmt.Sprintf("lock=%s/shared=%t/hogs=%d/section=%v", a.Name, shared, hogs, section), func(t *testing.T) {
						synctest.Test(t, func(t *testing.T) {
							s := mutex.Share(a.New(a.AtMost(hogs)))
							locker := func(int) sync.Locker { return s }
							if !shared {
								m := a.New(hogs + 1)
								locker = func(i int) sync.Locker { return mutex.Locker(m, i) }
							}
							longest := longestWait(locker, hogs, section)
							bound := time.Duration(hogs+2) * section
							if !a.Claims.FIFO {
								bound = max(bound, 4*time.Millisecond)
							}
							assert.LessOrEqual(t, longest, bound)
						})
					})
				}
			}
		}
	}
}

// longestWait returns how long a goroutine waits at most, of five times, while hogs hold
// the lock for a section, and come back at once.
func longestWait(locker func(i int) sync.Locker, hogs int, section time.Duration) (longest time.Duration) {
	stop := false // guarded by the lock
	var running sync.WaitGroup
	for hog := range hogs {
		l := locker(hog)
		running.Go(func() {
			for over := false; !over; {
				l.Lock()
				time.Sleep(section) // of the bubble's time
				over = stop
				l.Unlock()
			}
		})
	}
	l := locker(hogs)
	for range 5 {
		time.Sleep(10*section + section/2)
		start := time.Now()
		l.Lock()
		longest = max(longest, time.Since(start))
		l.Unlock()
	}
	l.Lock()
	stop = true
	l.Unlock()
	running.Wait()
	return longest
}

// When the first in the queue has waited for long and finds the process taken again,
// none barges until all who have waited for long have entered.
func TestSharedStarvationMode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const waiters = 20
		s := mutex.Share(lamportfast.New(1))
		var order []int // the waiters that entered
		var running sync.WaitGroup
		s.Lock()
		for k := range waiters {
			running.Go(func() {
				for range 2 { // it comes again at once
					s.Lock()
					order = append(order, k)
					time.Sleep(100 * time.Microsecond) // of the bubble
					s.Unlock()
				}
			})
			synctest.Wait()
		}
		time.Sleep(4 * time.Millisecond)
		s.Unlock()
		running.Wait()
		last := slices.Index(order, waiters-1)
		assert.LessOrEqual(t, last, waiters, "entries before the last of those who waited, of which one may have barged: %v", order)
	})
}

// An acquisition that aborts inside the Mutex gives its process back.
func TestSharedAbortGivesItsProcessBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := mutex.Share(lamportfast.New(2))
		s.Watch()
		s.Lock()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.ErrorIs(t, s.LockContext(ctx), context.DeadlineExceeded)
		go func() {
			s.Lock()
			s.Unlock()
		}()
		synctest.Wait()
		calls := told(s)
		require.Len(t, calls, 2)
		assert.Contains(t, calls[1], "as process")
		s.Unlock()
	})
}

// One goroutine may unlock what another has locked.
func TestSharedIsUnlockedByAnother(t *testing.T) {
	every(t, func(_ *testing.T, a catalog.Algorithm, n int) {
		var l sync.Locker = mutex.Share(a.New(n))
		if a.Locker != nil && n == 1 {
			l = a.Locker()
		}
		l.Lock()
		go l.Unlock()
		l.Lock()
		l.Unlock()
	})
}
