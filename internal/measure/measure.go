// Package measure measures locks beside their peers: what an entry costs
// uncontended and under contention, how long its tail is, how evenly entries are
// shared, how much CPU time a waiter burns.
//
// Two locks are compared in one run, in short windows that alternate
// ([Compare]): a machine changes its speed by more, and more slowly, than the
// difference that is looked for. No figure comes without its spread.
package measure

import (
	"sync"
	"time"

	"example.org/doorway/mutex"
)

// Alone returns the nanoseconds of one uncontended Lock and Unlock of l. It
// measures for about d, after a short warm-up, and blocks for that long. Between
// Lock and Unlock it adds one to a variable.
//
// All locks go through the same loop and the same interface, so what the loop
// costs is in every figure.
func Alone(l sync.Locker, d time.Duration) float64 {
	const batch = 512
	guarded := 0
	return each(batch, d, func() { pairs(l, batch, &guarded) })
}

// each returns the nanoseconds of one of those that do does as a batch. It measures for
// about d, after a batch as a warm-up.
func each(batch int, d time.Duration, do func()) float64 {
	do()
	n, start := 0, time.Now()
	for ; time.Since(start) < d || n == 0; n += batch {
		do()
	}
	return float64(time.Since(start).Nanoseconds()) / float64(n)
}

// RoundTrip returns the nanoseconds of a round trip between two goroutines: one
// sends a value over an unbuffered channel, and the other sends it back over
// another. It measures for about d, after a short warm-up, and blocks for that
// long. It is the yardstick of what passes messages.
func RoundTrip(d time.Duration) float64 {
	const batch = 128
	there, back := make(chan int), make(chan int)
	go func() {
		defer close(back)
		for v := range there {
			back <- v
		}
	}()
	ns := each(batch, d, func() {
		for range batch {
			there <- 0
			<-back
		}
	})
	close(there)
	<-back
	return ns
}

// pairs is not inlined, so that no compiler sees which lock it is given.
//
//go:noinline
func pairs(l sync.Locker, n int, guarded *int) {
	for range n {
		l.Lock()
		*guarded++
		l.Unlock()
	}
}

// Locker returns process i of m as users would have it as a [sync.Locker]: a
// peer that knows no processes is one itself; for all others it is
// [mutex.Locker].
func Locker(m mutex.Mutex, i int) sync.Locker {
	if p, ok := m.(interface{ locker() sync.Locker }); ok {
		return p.locker()
	}
	return mutex.Locker(m, i)
}

// Share returns m through [mutex.Share], for a Contention of n goroutines, which
// may be more than m has processes: any of them uses any process that is free.
// Its [Locker] is the [mutex.Shared] itself.
func Share(m mutex.Mutex, n int) mutex.Mutex { return Any(mutex.Share(m), n) }

// Any returns a lock for any number of goroutines for a Contention of n. Its [Locker] is
// l itself.
func Any(l sync.Locker, n int) mutex.Mutex { return &anybody{processes(n), l} }

type anybody struct {
	processes
	l sync.Locker
}

func (a *anybody) Lock(int)            { a.l.Lock() }
func (a *anybody) Unlock(int)          { a.l.Unlock() }
func (a *anybody) locker() sync.Locker { return a.l }
