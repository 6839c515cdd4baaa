package mutex_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/seam"
	"example.org/doorway/lamportfast"
	"example.org/doorway/mutex"
)

// every runs f with every algorithm of the catalog at several n. It passes the
// constructor, because a lock must be made in the synctest bubble in which it is
// used.
func every(t *testing.T, f func(t *testing.T, newMutex func() mutex.Abortable)) {
	t.Helper()
	for _, a := range catalog.Algorithms {
		for _, n := range []int{1, 2, 3, 5, 9} {
			if a.For(n) {
				t.Run(fmt.Sprintf("lock=%s/n=%d", a.Name, n), func(t *testing.T) {
					f(t, func() mutex.Abortable { return a.New(n) })
				})
			}
		}
	}
}

// bare is a Mutex that is not Abortable.
type bare struct{ mutex.Mutex }

func bareOf(n int) mutex.Mutex {
	a, _ := catalog.Find("bakery-classic")
	return bare{a.New(n)}
}

func TestLocker(t *testing.T) {
	every(t, func(t *testing.T, newMutex func() mutex.Abortable) {
		m, count := newMutex(), 0
		var wg sync.WaitGroup
		for i := range m.Processes() {
			l := mutex.Locker(m, i)
			wg.Go(func() {
				for range 500 {
					l.Lock()
					count++
					l.Unlock()
				}
			})
		}
		wg.Wait()
		assert.Equal(t, 500*m.Processes(), count)
	})
}

func TestLockerOutOfRange(t *testing.T) {
	m := bareOf(2)
	assert.PanicsWithValue(t, "mutex: locker of process 2: the processes are 0 to 1", func() { mutex.Locker(m, 2) })
	assert.PanicsWithValue(t, "mutex: locker of process -1: the processes are 0 to 1", func() { mutex.Locker(m, -1) })
}

// While one process is inside, the others try, wait, and abort, in every order.
// Once it has left, every process can enter: the aborted acquisitions left no trace.
func TestGivingUpLeavesNothingBehind(t *testing.T) {
	every(t, func(t *testing.T, newMutex func() mutex.Abortable) {
		synctest.Test(t, func(t *testing.T) {
			m := newMutex()
			n := m.Processes()
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
				}
			}
		})
	})
}

// While a process waits, no goroutine of the lock is awake; then it enters.
func TestWaitersAreDurablyBlocked(t *testing.T) {
	every(t, func(t *testing.T, newMutex func() mutex.Abortable) {
		synctest.Test(t, func(t *testing.T) {
			m := newMutex()
			n, entered := m.Processes(), 0
			m.Lock(0)
			for i := 1; i < n; i++ {
				go func() {
					m.Lock(i)
					entered++
					m.Unlock(i)
				}()
			}
			synctest.Wait()
			require.Zero(t, entered, "processes that entered while process 0 was inside")
			m.Unlock(0)
			synctest.Wait()
			assert.Equal(t, n-1, entered, "processes that entered")
		})
	})
}

// The process that completes its doorway first enters first.
func TestFirstComeFirstServed(t *testing.T) {
	for _, a := range catalog.Algorithms {
		if !a.Claims.FIFO {
			continue
		}
		t.Run(a.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := a.New(7)
				var order []int
				first := m.Processes() - 1
				m.Lock(first)
				for i := range first {
					go func() {
						m.Lock(i)
						order = append(order, i)
						m.Unlock(i)
					}()
					synctest.Wait() // it has passed the doorway, and waits
				}
				m.Unlock(first)
				synctest.Wait()
				want := make([]int, first)
				for i := range want {
					want[i] = i
				}
				assert.Equal(t, want, order, "the order in which they entered")
			})
		})
	}
}

func TestSharedByMoreGoroutinesThanProcesses(t *testing.T) {
	every(t, func(t *testing.T, newMutex func() mutex.Abortable) {
		m := newMutex()
		s := mutex.Share(m)
		const rounds = 200
		count := 0
		var wg sync.WaitGroup
		for range 3*m.Processes() + 1 {
			wg.Go(func() {
				for range rounds {
					s.Lock()
					count++
					s.Unlock()
				}
			})
		}
		wg.Wait()
		assert.Equal(t, rounds*(3*m.Processes()+1), count)
	})
}

// Lock, TryLock and LockContext in all mixtures; only the lock guards the count.
func TestSharedUnderAllKindsOfCallers(t *testing.T) {
	every(t, func(t *testing.T, newMutex func() mutex.Abortable) {
		s := mutex.Share(newMutex())
		count := 0
		entries := make(chan int, 12)
		for k := range cap(entries) {
			go func() {
				mine := 0
				enter := func() {
					count++
					mine++
					if mine%8 == 0 {
						runtime.Gosched() // inside, so that others wait
					}
					s.Unlock()
				}
				for r := range 200 {
					switch k % 3 {
					case 0:
						s.Lock()
						enter()
					case 1:
						if s.TryLock() {
							enter()
						}
					case 2:
						ctx, cancel := context.WithTimeout(t.Context(), time.Duration(r%20)*time.Microsecond)
						if s.LockContext(ctx) == nil {
							enter()
						}
						cancel()
					}
				}
				entries <- mine
			}()
		}
		want := 0
		for range cap(entries) {
			want += <-entries
		}
		s.Lock()
		assert.Equal(t, want, count)
		s.Unlock()
	})
}

func TestSharedQueueIsFirstComeFirstServed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := mutex.Share(bareOf(1))
		var order []int
		s.Lock()
		for k := range 5 {
			go func() {
				if k == 2 {
					ctx, cancel := context.WithTimeout(t.Context(), time.Second)
					defer cancel()
					assert.ErrorIs(t, s.LockContext(ctx), context.DeadlineExceeded, "in queue")
					return
				}
				s.Lock()
				order = append(order, k)
				s.Unlock()
			}()
			synctest.Wait()
		}
		time.Sleep(2 * time.Second) // of the bubble: the third aborts
		s.Unlock()
		synctest.Wait()
		assert.Equal(t, []int{0, 1, 3, 4}, order, "served in this order")
	})
}

// Over a FIFO lock, goroutines enter in the order in which they came, however many
// processes there are. One that aborts delays no other.
func TestSharedOverAFIFOLockIsFirstComeFirstServed(t *testing.T) {
	for _, a := range catalog.Algorithms {
		if !a.Claims.FIFO {
			continue
		}
		for _, n := range []int{1, 2, 3, 9} {
			if !a.For(n) {
				continue
			}
			t.Run(fmt.Sprintf("lock=%s/n=%d", a.Name, n), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := mutex.Share(a.New(n))
					var order []int
					s.Lock()
					for k := range 7 {
						go func() {
							ctx, cancel := context.WithCancel(t.Context())
							defer cancel()
							if k == 1 || k == 4 {
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
					time.Sleep(2 * time.Second) // two abort
					s.Unlock()
					time.Sleep(time.Hour)
					synctest.Wait()
					assert.Equal(t, []int{0, 2, 3, 5, 6}, order)
				})
			})
		}
	}
}

// Over a lock that permits barging, a goroutine does not queue if a process is free,
// and one that queues waits for no more than a few sections of one that comes again
// and again.
func TestSharedOverALockThatPermitsBarging(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := mutex.Share(lamportfast.New(1))
		entries, over := 0, false
		var hog sync.WaitGroup
		hog.Go(func() {
			for left := false; !left; {
				s.Lock()
				entries++
				time.Sleep(100 * time.Microsecond) // of the bubble
				left = over
				s.Unlock()
			}
		})
		synctest.Wait()
		start := time.Now()
		s.Lock()
		over = true
		s.Unlock()
		hog.Wait()
		t.Logf("waited for %v, during %d entries of the other", time.Since(start), entries)
		assert.Less(t, time.Since(start), 1500*time.Microsecond)
	})
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

func TestSharedLockContextOverAnyMutex(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := mutex.Share(bareOf(2))
		require.NoError(t, s.LockContext(t.Context()))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		assert.ErrorIs(t, s.LockContext(ctx), context.DeadlineExceeded)
		assert.ErrorIs(t, s.LockContext(ctx), context.DeadlineExceeded, "of a context that is done")
		s.Unlock() // the aborted acquisition enters and leaves
		synctest.Wait()
		s.Lock()
		s.Unlock()
	})
}

func TestSharedAsTheLockerOfACond(t *testing.T) {
	every(t, func(t *testing.T, newMutex func() mutex.Abortable) {
		c := sync.NewCond(mutex.Share(newMutex()))
		full := false
		got := make(chan int)
		const items = 200
		for range 2 {
			go func() {
				n := 0
				for range items {
					c.L.Lock()
					for !full {
						c.Wait()
					}
					full = false
					n++
					c.L.Unlock()
					c.Broadcast()
				}
				got <- n
			}()
		}
		for range 2 * items {
			c.L.Lock()
			for full {
				c.Wait()
			}
			full = true
			c.L.Unlock()
			c.Broadcast()
		}
		assert.Equal(t, 2*items, <-got+<-got, "items that arrived")
	})
}

func TestSharedMisuse(t *testing.T) {
	s := mutex.Share(bareOf(2))
	const notLocked = "mutex: unlock of a Shared that is not locked"
	assert.PanicsWithValue(t, notLocked, s.Unlock)
	s.Lock()
	s.Unlock()
	assert.PanicsWithValue(t, notLocked, s.Unlock)
	assert.PanicsWithValue(t, "mutex: TryLock over a mutex_test.bare, which is not Abortable", func() { s.TryLock() })
	s.Lock() // nothing was lost
	s.Unlock()
}

func TestSharedAllocatesNothing(t *testing.T) {
	if seam.Hosted {
		t.Skip("a build that can have a host allocates operations for it")
	}
	a, _ := catalog.Find("bakery")
	for _, n := range []int{1, 2, 4} { // with 4 goroutines: some, and none, queue for a process
		s := mutex.Share(a.New(n))
		stop := make(chan struct{})
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
						s.Lock()
						runtime.Gosched()
						s.Unlock()
					}
				}
			})
		}
		if got := testing.AllocsPerRun(2000, func() {
			s.Lock()
			runtime.Gosched()
			s.Unlock()
		}); got != 0 {
			t.Errorf("n = %d: %v allocations an entry, want 0", n, got)
		}
		close(stop)
		wg.Wait()
	}
}
