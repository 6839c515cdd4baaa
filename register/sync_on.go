//go:build doorway_explore

package register

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// What processes synchronise by: as in any other build, unless a scheduler
// stands behind it. Then it decides on every operation, and the variables keep
// what they held when it was set.

// A scheduler makes the operations of a goroutine in the place of the hardware.
// It may abandon the goroutine by a panic, which no function of this package
// recovers.
type scheduler interface {
	Load(x variable) any
	Store(x variable, v any)
	CompareAndSwap(x variable, old, v any) bool
	Lock(x variable)
	Unlock(x variable)
	Send(x variable)                         // to a channel of capacity one
	Receive(x variable, or ...variable) bool // false: from or, which is closed
}

// A variable is what a scheduler is asked to operate on.
type variable = interface{ Initial() any } // what it held when the scheduler was set

var scheduling atomic.Pointer[scheduler]

// schedule puts s behind all synchronisation of this package, until the next
// call; nil gives it back to the hardware.
func schedule(s scheduler) {
	if s == nil {
		scheduling.Store(nil)
	} else {
		scheduling.Store(&s)
	}
}

func scheduled() scheduler {
	if s := scheduling.Load(); s != nil {
		return *s
	}
	return nil
}

type number struct{ v atomic.Uint64 }

func (x *number) Initial() any { return x.v.Load() }

func (x *number) Load() uint64 {
	if s := scheduled(); s != nil {
		return s.Load(x).(uint64)
	}
	return x.v.Load()
}

func (x *number) Store(v uint64) {
	if s := scheduled(); s != nil {
		s.Store(x, v)
	} else {
		x.v.Store(v)
	}
}

func (x *number) CompareAndSwap(old, v uint64) bool {
	if s := scheduled(); s != nil {
		return s.CompareAndSwap(x, old, v)
	}
	return x.v.CompareAndSwap(old, v)
}

type flag struct{ v atomic.Bool }

func (x *flag) Initial() any { return x.v.Load() }

func (x *flag) Load() bool {
	if s := scheduled(); s != nil {
		return s.Load(x).(bool)
	}
	return x.v.Load()
}

func (x *flag) Store(v bool) {
	if s := scheduled(); s != nil {
		s.Store(x, v)
	} else {
		x.v.Store(v)
	}
}

func (x *flag) CompareAndSwap(old, v bool) bool {
	if s := scheduled(); s != nil {
		return s.CompareAndSwap(x, old, v)
	}
	return x.v.CompareAndSwap(old, v)
}

type pointer[T any] struct{ v atomic.Pointer[T] }

func (x *pointer[T]) Initial() any { return x.v.Load() }

func (x *pointer[T]) Load() *T {
	if s := scheduled(); s != nil {
		return s.Load(x).(*T)
	}
	return x.v.Load()
}

func (x *pointer[T]) Store(p *T) {
	if s := scheduled(); s != nil {
		s.Store(x, p)
	} else {
		x.v.Store(p)
	}
}

type guarded[T any] struct{ p *T }

func (x *guarded[T]) Initial() any { return x.p }

func (x *guarded[T]) Load() *T {
	if s := scheduled(); s != nil {
		return s.Load(x).(*T)
	}
	return x.p
}

func (x *guarded[T]) Store(p *T) {
	if s := scheduled(); s != nil {
		s.Store(x, p)
	} else {
		x.p = p
	}
}

type mutex struct{ mu sync.Mutex }

func (x *mutex) Initial() any { return false }

func (x *mutex) Lock() {
	if s := scheduled(); s != nil {
		s.Lock(x)
	} else {
		x.mu.Lock()
	}
}

func (x *mutex) Unlock() {
	if s := scheduled(); s != nil {
		s.Unlock(x)
	} else {
		x.mu.Unlock()
	}
}

type token chan struct{}

func (c token) Initial() any { return len(c) > 0 }

func (c token) send() {
	if s := scheduled(); s != nil {
		s.Send(c)
	} else {
		c <- struct{}{}
	}
}

func (c token) receive() {
	if s := scheduled(); s != nil {
		s.Receive(c)
	} else {
		<-c
	}
}

func (c token) receiveOr(done <-chan struct{}) bool {
	if s := scheduled(); s != nil {
		return s.Receive(c, closing(done))
	}
	select {
	case <-c:
		return true
	case <-done:
		return false
	}
}

// A closing is a channel on which nothing is sent, and which may be closed.
type closing <-chan struct{}

func (c closing) Initial() any {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func gosched() {
	if scheduled() == nil {
		runtime.Gosched()
	}
}
