package mutex_test

import (
	"context"
	"fmt"
	"regexp"
	"runtime"
	"sync"
	"time"

	"example.org/doorway/bakery"
	"example.org/doorway/lamportfast"
	"example.org/doorway/mutex"
	"example.org/doorway/peterson"
)

// A counter that any number of goroutines may use, first come, first served. One that has no
// time left gives up.
func ExampleFIFO() {
	var counter struct {
		mu mutex.FIFO
		n  int
	}
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() {
			counter.mu.Lock()
			defer counter.mu.Unlock()
			counter.n++
		})
	}
	all.Wait()
	counter.mu.Lock()
	fmt.Println(counter.n, "goroutines have counted")
	fmt.Println("another tries:", counter.mu.TryLock())
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	fmt.Println("another waits:", counter.mu.LockContext(ctx))
	counter.mu.Unlock()
	// Output:
	// 100 goroutines have counted
	// another tries: false
	// another waits: context deadline exceeded
}

// Any number of goroutines share a lock, as they would a sync.Mutex. The bakery is
// FIFO.
func ExampleShare() {
	l := mutex.Share(bakery.New(8))
	visits := map[string]int{}
	var wg sync.WaitGroup
	for range 100 {
		wg.Go(func() {
			l.Lock()
			defer l.Unlock()
			visits["home"]++
		})
	}
	wg.Wait()
	fmt.Println(visits)
	// Output: map[home:100]
}

// Share carries the order that its lock declares: first come, first served over the
// first two, whatever the number of goroutines, and barging over the third.
func ExampleShare_order() {
	for _, m := range []interface {
		mutex.Mutex
		FIFO() bool
	}{peterson.New(), bakery.New(8), lamportfast.New(8)} {
		l := mutex.Share(m)
		l.Lock()
		fmt.Printf("%T of %d processes: %t\n", m, m.Processes(), m.FIFO())
		l.Unlock()
	}
	// Output:
	// *peterson.Lock of 2 processes: true
	// *bakery.Lock of 8 processes: true
	// *lamportfast.Lock of 8 processes: false
}

// Each of two goroutines is a process, and needs no other queue.
func ExampleLocker() {
	m, visits := bakery.New(2), 0
	var wg sync.WaitGroup
	for i := range m.Processes() {
		l := mutex.Locker(m, i)
		wg.Go(func() {
			for range 100 {
				l.Lock()
				visits++
				l.Unlock()
			}
		})
	}
	wg.Wait()
	fmt.Println(visits, "visits")
	// Output: 200 visits
}

// A process can try to lock without waiting, or wait for a limited time.
func ExampleAbortable() {
	var m mutex.Abortable = bakery.New(2)
	m.Lock(0)
	fmt.Println(m.TryLock(1))
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	fmt.Println(m.LockContext(ctx, 1))
	m.Unlock(0)
	fmt.Println(m.TryLock(1))
	// Output:
	// false
	// context deadline exceeded
	// true
}

// An acquisition aborts after a timeout and leaves no trace.
func ExampleShared_LockContext() {
	l := mutex.Share(lamportfast.New(4))
	l.Lock()
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	fmt.Println(l.LockContext(ctx))
	l.Unlock()
	fmt.Println(l.TryLock())
	// Output:
	// context deadline exceeded
	// true
}

// A watched lock can be asked who is inside since when, who waits since when, and which
// lines called it: in a handler for diagnosis, for example, when a program hangs.
func ExampleShared_Watch() {
	l := mutex.Share(bakery.New(8))
	l.Watch() // records the calls from now on

	l.Lock()
	var wg sync.WaitGroup
	for others := range 2 {
		wg.Go(func() {
			l.Lock()
			defer l.Unlock()
		})
		for len(l.Watch()) < others+2 { // until it waits
			runtime.Gosched()
		}
	}
	for _, call := range l.Watch() {
		fmt.Println(varying.ReplaceAllString(call.String(), "$1…"))
	}
	l.Unlock()
	wg.Wait()
	// Output:
	// inside for … as process 0, from mutex_test.ExampleShared_Watch (example_test.go:…)
	// waits for … as process 1, from mutex_test.ExampleShared_Watch.func1 (example_test.go:…)
	// waits for … in the queue, from mutex_test.ExampleShared_Watch.func1 (example_test.go:…)
}

// varying matches the time and the line of a call.
var varying = regexp.MustCompile(`(for |go:)[0-9][^ )]*`)
