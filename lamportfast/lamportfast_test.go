package lamportfast_test

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/lamportfast"
	"example.org/doorway/mutex"
)

// However long critical sections last, a process waits some milliseconds, or as if each of
// the others entered about once before it, and not until they have entered hundreds of
// times. So does a goroutine that shares the lock by mutex.Share.
func TestWaitingIsBoundedByTheClock(t *testing.T) {
	for _, shared := range []bool{false, true} {
		for _, hogs := range []int{1, 8} {
			for _, section := range []time.Duration{100 * time.Microsecond, time.Millisecond, 5 * time.Millisecond} {
				t.Run(fmt.Sprintf("shared=%v/hogs=%d/section=%v", shared, hogs, section), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						longest := longestWait(hogs, section, shared)
						assert.LessOrEqual(t, longest, max(4*time.Millisecond, time.Duration(hogs+2)*section))
					})
				})
			}
		}
	}
}

// longestWait returns how long a goroutine waits at most, of five times, while hogs hold
// the lock for a section, and come back at once.
func longestWait(hogs int, section time.Duration, shared bool) (longest time.Duration) {
	m, stop := lamportfast.New(hogs+1), false // stop is guarded by the lock
	one := mutex.Share(lamportfast.New(hogs))
	locker := func(i int) sync.Locker {
		if shared {
			return one
		}
		return mutex.Locker(m, i)
	}
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
