package lamportfast_test

import (
	"fmt"
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/lamportfast"
)

// The constructor checks n before it allocates.
func TestTooManyProcesses(t *testing.T) {
	for _, n := range []int{1<<20 + 1, 1 << 30, math.MaxInt} {
		assert.PanicsWithValue(t, fmt.Sprintf("lamportfast: %d processes: there can be at most 1048576", n), func() { lamportfast.New(n) })
	}
}

// However long critical sections last, a process waits about as long as if each of the
// others entered once before it, and not until they have entered hundreds of times.
func TestWaitingIsBoundedByTheClock(t *testing.T) {
	for _, hogs := range []int{1, 8} {
		for _, section := range []time.Duration{100 * time.Microsecond, time.Millisecond, 5 * time.Millisecond} {
			t.Run(fmt.Sprintf("hogs=%d/section=%v", hogs, section), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					l, stop := lamportfast.New(hogs+1), false // stop is guarded by l
					var running sync.WaitGroup
					for hog := range hogs {
						running.Go(func() {
							for over := false; !over; {
								l.Lock(hog)
								time.Sleep(section) // of the bubble's time
								over = stop
								l.Unlock(hog)
							}
						})
					}
					longest := time.Duration(0)
					for range 5 {
						time.Sleep(10*section + section/2)
						start := time.Now()
						l.Lock(hogs)
						longest = max(longest, time.Since(start))
						l.Unlock(hogs)
					}
					l.Lock(hogs)
					stop = true
					l.Unlock(hogs)
					running.Wait()
					assert.LessOrEqual(t, longest, 3*time.Duration(hogs)*section)
				})
			})
		}
	}
}
