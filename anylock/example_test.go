package anylock_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"example.org/doorway/anylock"
	"example.org/doorway/explore"
)

// A Ticket is a ticket lock whose author forgot that two may take a number at the same time.
type Ticket struct{ next, serving atomic.Uint32 }

func (l *Ticket) Lock() {
	mine := l.next.Load()
	l.next.Store(mine + 1)
	for l.serving.Load() != mine {
		runtime.Gosched()
	}
}

func (l *Ticket) Unlock() { l.serving.Add(1) }

func ExampleCheck() {
	// In a file of tests, as func TestTicket(t *testing.T).
	_ = func(t *testing.T) {
		anylock.Check(t, func() sync.Locker { return new(Ticket) })
	}
}

func ExampleCheckRoles() {
	// In a file of tests: readers may be inside together, but not beside a writer.
	_ = func(t *testing.T) {
		anylock.CheckRoles(t, func() []func() {
			mu, x := new(sync.RWMutex), 0
			read := func() { mu.RLock(); _ = x; mu.RUnlock() }
			return []func(){func() { mu.Lock(); x++; mu.Unlock() }, read, read}
		})
	}
}

func ExampleExplore() {
	lock := func() sync.Locker { return new(Ticket) }
	r, err := anylock.Explore(context.Background(), anylock.Config{New: lock, Goroutines: 2, Rounds: explore.Unbounded})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Err())
	// Output:
	// anylock: mutual exclusion fails, with 2 goroutines, in 6 steps
	// a shortest run
	// goroutine 0  example_test.go:19  load lock.next: 0
	// goroutine 1  example_test.go:19  load lock.next: 0
	// goroutine 0  example_test.go:20  store lock.next: 0 to 1
	// goroutine 0  example_test.go:21  load lock.serving: 0
	// goroutine 1  example_test.go:20  store lock.next: 1
	// goroutine 1  example_test.go:21  load lock.serving: 0
	// goroutines 0 and 1 have the lock
	// repeat it: Goroutines: 2, Rounds: -1, Schedule: []int{0, 1, 0, 0, 1, 1}
}
