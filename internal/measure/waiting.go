package measure

import (
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
