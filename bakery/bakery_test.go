package bakery

import (
	"runtime"
	"sync"
	"testing"

	"example.org/doorway/register"
)

// Whoever is inside finds every ticket at most n, in rounds without a pause.
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
		if largest > uint64(n) {
			t.Errorf("n = %d: a ticket had the number %d", n, largest)
		}
	}
}

// Numbers grow while there is always somebody who holds one,
// as in the schedule of Sabel's lecture: each takes a number before the other
// leaves.
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
		if got, want := l.number[next].Load(), uint64(k+2); got != want {
			t.Fatalf("entry %d has the number %d, want %d", k+2, got, want)
		}
	}
	l.Unlock(0)
}

// A quiet moment, and numbers begin anew.
func TestNumbersBeginAnew(t *testing.T) {
	l := New(3)
	for range 5 {
		l.Lock(2)
		if got, want := l.ticket[2].Load(), uint64(1<<l.shift|3); got != want {
			t.Errorf("the ticket is %#x, want %#x: number 1 of process 3", got, want)
		}
		l.Unlock(2)
	}
}

func TestLargest(t *testing.T) {
	for n := range 12 {
		for at := range n {
			ticket := make([]register.Word, n)
			for j := range ticket {
				ticket[j].Set(uint64(j))
			}
			ticket[at].Set(100)
			if got := largest(ticket); got != 100 {
				t.Errorf("largest of %d tickets is %d, want 100 at %d", n, got, at)
			}
		}
	}
}
