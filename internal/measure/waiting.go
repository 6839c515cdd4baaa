package measure

import (
	"sync"
	"sync/atomic"
	"time"

	"example.org/doorway/mutex"
)

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
