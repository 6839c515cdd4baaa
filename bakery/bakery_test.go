package bakery

import (
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/register"
)

// A process in its critical section finds every ticket at most n, in rounds without
// a pause.
func TestBlackWhiteNumbersNeverExceedN(t *testing.T) {
	for _, n := range []int{1, 2, 3, 8} {
		l := NewBlackWhite(n)
		largest := uint64(0)
		var wg sync.WaitGroup
		for i := range n {
			wg.Go(func() {
				for range 2000 {
					l.Lock(i)
					for j := range l.ticket {
						largest = max(largest, numberOf(l.ticket[j].Load()))
					}
					l.Unlock(i)
				}
			})
		}
		wg.Wait()
		assert.LessOrEqual(t, largest, uint64(n), "the largest number of a ticket, n = %d", n)
	}
}

// Numbers grow while some process always holds one, as in the schedule of Sabel's
// lecture: each process takes a number before the other leaves.
func TestNumbersGrowWithoutAPause(t *testing.T) {
	l := NewClassic(2)
	l.Lock(0)
	for k := range 10 {
		next := (k + 1) % 2
		entered := make(chan struct{})
		go func() {
			l.Lock(next)
			close(entered)
		}()
		for l.number[next].Load() == 0 {
			runtime.Gosched()
		}
		l.Unlock(1 - next)
		<-entered
		require.Equal(t, uint64(k+2), l.number[next].Load(), "the number of entry %d", k+2)
	}
	l.Unlock(0)
}

func TestLargest(t *testing.T) {
	for n := range 12 {
		for at := range n {
			ticket := make([]register.Word, n)
			for j := range ticket {
				ticket[j].Set(uint64(j))
			}
			ticket[at].Set(100)
			assert.Equal(t, uint64(100), largest(ticket), "the largest of %d tickets, at %d", n, at)
		}
	}
}
