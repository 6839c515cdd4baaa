// Package locks has locks as people write them.
package locks

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/semaphore"

	"example.org/doorway/mutex"
)

// Spin is a test and test-and-set lock.
type Spin struct{ held atomic.Bool }

// Lock locks l.
func (l *Spin) Lock() {
	for {
		for l.held.Load() {
			runtime.Gosched()
		}
		if l.held.CompareAndSwap(false, true) {
			return
		}
	}
}

// Unlock unlocks l.
func (l *Spin) Unlock() { l.held.Store(false) }

// Ticket is the lock of Reed and Kanodia, with numbers that wrap.
type Ticket struct{ tickets atomic.Uint32 }

// Lock locks l.
func (l *Ticket) Lock() {
	var mine uint32
	for {
		old := l.tickets.Load()
		mine = old >> 2 & 3
		if l.tickets.CompareAndSwap(old, old&3|(mine+1)&3<<2) {
			break
		}
	}
	for l.tickets.Load()&3 != mine {
		runtime.Gosched()
	}
}

// Unlock unlocks l.
func (l *Ticket) Unlock() {
	for {
		old := l.tickets.Load()
		if l.tickets.CompareAndSwap(old, old&^3|(old+1)&3) {
			return
		}
	}
}

type mcsNode struct {
	next  atomic.Pointer[mcsNode]
	waits atomic.Bool
}

// MCS is the queue lock of Mellor-Crummey and Scott.
type MCS struct {
	tail   atomic.Pointer[mcsNode]
	holder *mcsNode
}

// Lock locks l.
func (l *MCS) Lock() {
	n := new(mcsNode)
	n.waits.Store(true)
	if before := l.tail.Swap(n); before != nil {
		before.next.Store(n)
		for n.waits.Load() {
			runtime.Gosched()
		}
	}
	l.holder = n
}

// Unlock unlocks l.
func (l *MCS) Unlock() {
	n := l.holder
	next := n.next.Load()
	if next == nil {
		if l.tail.CompareAndSwap(n, nil) {
			return
		}
		for next == nil {
			runtime.Gosched()
			next = n.next.Load()
		}
	}
	next.waits.Store(false)
}

type clhNode struct{ held atomic.Bool }

// CLH is the queue lock of Craig, and of Landin and Hagersten.
type CLH struct {
	tail   atomic.Pointer[clhNode]
	holder *clhNode
}

// NewCLH returns a lock.
func NewCLH() sync.Locker {
	l := new(CLH)
	l.tail.Store(new(clhNode))
	return l
}

// Lock locks l.
func (l *CLH) Lock() {
	n := new(clhNode)
	n.held.Store(true)
	before := l.tail.Swap(n)
	for before.held.Load() {
		runtime.Gosched()
	}
	l.holder = n
}

// Unlock unlocks l.
func (l *CLH) Unlock() { l.holder.held.Store(false) }

// Chan is a channel with room for one.
type Chan chan struct{}

// NewChan returns a lock.
func NewChan() sync.Locker { return make(Chan, 1) }

// Lock locks l.
func (l Chan) Lock() { l <- struct{}{} }

// Unlock unlocks l.
func (l Chan) Unlock() { <-l }

// Cond has a mutex and a condition variable.
type Cond struct {
	mu   sync.Mutex
	free *sync.Cond
	held bool
}

// NewCond returns a lock.
func NewCond() sync.Locker {
	l := new(Cond)
	l.free = sync.NewCond(&l.mu)
	return l
}

// Lock locks l.
func (l *Cond) Lock() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.held {
		l.free.Wait()
	}
	l.held = true
}

// Unlock unlocks l.
func (l *Cond) Unlock() {
	l.mu.Lock()
	l.held = false
	l.mu.Unlock()
	l.free.Signal()
}

// Queue parks on channels, in the order of arrival.
type Queue struct {
	mu    sync.Mutex
	held  bool
	queue []chan struct{}
}

// Lock locks l.
func (l *Queue) Lock() {
	l.mu.Lock()
	if !l.held {
		l.held = true
		l.mu.Unlock()
		return
	}
	c := make(chan struct{})
	l.queue = append(l.queue, c)
	l.mu.Unlock()
	<-c
}

// Unlock unlocks l.
func (l *Queue) Unlock() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.queue) == 0 {
		l.held = false
		return
	}
	close(l.queue[0])
	l.queue = append([]chan struct{}(nil), l.queue[1:]...)
}

// Semaphore is a semaphore of one, of x/sync.
type Semaphore struct{ *semaphore.Weighted }

// NewSemaphore returns a lock.
func NewSemaphore() sync.Locker { return Semaphore{semaphore.NewWeighted(1)} }

// Lock locks l.
func (l Semaphore) Lock() {
	if err := l.Acquire(context.Background(), 1); err != nil {
		panic(err)
	}
}

// Unlock unlocks l.
func (l Semaphore) Unlock() { l.Release(1) }

// NewFIFO returns a lock.
func NewFIFO() sync.Locker { return new(mutex.FIFO) }

// Served has a goroutine that lets in one after another.
type Served struct{ enter, leave chan struct{} }

// NewServed returns a lock.
func NewServed() sync.Locker {
	l := &Served{make(chan struct{}), make(chan struct{})}
	var begin sync.Once
	return &lazily{Locker: l, once: &begin, serve: l.serve}
}

func (l *Served) serve() {
	for {
		l.enter <- struct{}{}
		<-l.leave
	}
}

// Lock locks l.
func (l *Served) Lock() { <-l.enter }

// Unlock unlocks l.
func (l *Served) Unlock() { l.leave <- struct{}{} }

// A lazily starts a goroutine before the lock is used.
type lazily struct {
	sync.Locker
	once  *sync.Once
	serve func()
}

// Lock locks l.
func (l *lazily) Lock() {
	l.once.Do(func() { go l.serve() })
	l.Locker.Lock()
}
