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
	"sync/atomic"
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
	return Each(batch, d, func() { pairs(l, batch, &guarded) })
}

// Each returns the nanoseconds of one of those that do does as a batch. It measures for
// about d, after a batch as a warm-up, and blocks for that long.
func Each(batch int, d time.Duration, do func()) float64 {
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
	ns := Each(batch, d, func() {
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
	if a, ok := m.(*anonymous); ok {
		return a.l
	}
	return mutex.Locker(m, i)
}

// Share returns m through [mutex.Share], for a Contention of n goroutines, which
// may be more than m has processes: any of them uses any process that is free.
// Its [Locker] is the [mutex.Shared] itself.
func Share(m mutex.Mutex, n int) mutex.Mutex { return Any(mutex.Share(m), n) }

// Any returns a lock for any number of goroutines for a Contention of n. Its [Locker] is
// l itself.
func Any(l sync.Locker, n int) mutex.Mutex { return &anonymous{processes(n), l} }

type anonymous struct {
	processes
	l sync.Locker
}

func (a *anonymous) Lock(int)   { a.l.Lock() }
func (a *anonymous) Unlock(int) { a.l.Unlock() }

// Waiting returns how much CPU time process 1 of m uses while process 0 is in
// a critical section that sleeps for d: that of the whole program, less what
// it uses when it sleeps for d and no process waits. It is exact only while
// nothing else of the program runs, and can come out a little below zero. It
// blocks for about 2d. Where the system does not report CPU time, it returns
// false.
//
// CPU time that a waiter burns is lost to goroutines that could work.
func Waiting(m mutex.Mutex, d time.Duration) (burnt time.Duration, ok bool) {
	idle, ok := cpuTimeOf(func() { time.Sleep(d) })
	if !ok {
		return 0, false
	}
	m.Lock(0)
	busy, _ := cpuTimeOf(func() {
		entered := make(chan struct{})
		go func() {
			m.Lock(1)
			m.Unlock(1)
			close(entered)
		}()
		time.Sleep(d)
		m.Unlock(0)
		<-entered
	})
	return busy - idle, true
}

func cpuTimeOf(f func()) (d time.Duration, ok bool) {
	before, ok := cpuTime()
	if !ok {
		return 0, false
	}
	f()
	after, _ := cpuTime()
	return after - before, true
}

// Behind returns the longest time that Lock takes process hogs of m while the
// processes before it, the hogs, enter again and again, and sleep for section in each
// critical section, as one that waits for a disk does. Before each Lock the process
// lets one such section pass, as if it had other work. The hogs stop after limit, so
// Behind blocks for little longer than that, even if m starves the process: then the
// time is about limit.
func Behind(m mutex.Mutex, hogs int, section, limit time.Duration) (longest time.Duration) {
	var over atomic.Bool
	var done sync.WaitGroup
	for k := range hogs {
		done.Go(func() {
			for !over.Load() {
				m.Lock(k)
				time.Sleep(section)
				m.Unlock(k)
			}
		})
	}
	stop := time.AfterFunc(limit, func() { over.Store(true) })
	defer stop.Stop()
	for !over.Load() {
		time.Sleep(section)
		start := time.Now()
		m.Lock(hogs)
		longest = max(longest, time.Since(start))
		m.Unlock(hogs)
	}
	done.Wait()
	return longest
}

// A Section is a critical section: busy work on one cache line of data, which
// the lock must guard. It is for one goroutine at a time; that two are not
// inside at once is what the race detector sees.
type Section struct {
	spins int
	_     line
	words [8]uint64
}

// Work returns a section of about d on this machine while it is undisturbed. A
// section of no time adds one and is done.
//
// The first call calibrates, which blocks for some milliseconds: it times a
// batch of spins again and again, and takes the median. The multiplications of
// a spin wait for each other, so that nothing but the clock of the core sets
// the pace. A section that moves between cores takes longer by the transfer of
// its line, as a real one does.
func Work(d time.Duration) *Section {
	if d <= 0 {
		return &Section{}
	}
	return &Section{spins: max(1, int(float64(d)/spinTime()+0.5))}
}

// Do works: this is what stands between Lock and Unlock.
func (s *Section) Do() {
	s.words[0]++
	x := s.words[0]
	for k := range s.spins {
		x = x*6364136223846793005 + 1442695040888963407
		s.words[1+k%7] = x
	}
}

// spinTime returns the nanoseconds of one spin, as they were at the first call.
var spinTime = sync.OnceValue(func() float64 {
	times := make([]float64, 25)
	for k := range times {
		times[k] = timeSpin()
	}
	return SpreadOf(times).Median
})

// timeSpin times a batch of spins once, and returns the nanoseconds of one.
func timeSpin() float64 {
	const spins, batch = 64, 400
	s := Section{spins: spins}
	start := time.Now()
	for range batch {
		s.Do()
	}
	return float64(time.Since(start)) / (spins * batch)
}
