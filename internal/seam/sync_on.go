//go:build doorway_explore

package seam

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// What processes synchronise by: as in any other build, unless a scheduler
// stands behind it. Then it decides on every operation, and the variables keep
// what they held when it was set.

// A Scheduler makes the operations of a goroutine in the place of the hardware.
// It may abandon the goroutine by a panic, which no function of register or
// messaging recovers.
type Scheduler interface {
	Load(x Variable) any
	Store(x Variable, v any)
	CompareAndSwap(x Variable, old, v any) bool
	Lock(x Variable)
	Unlock(x Variable)
	Send(x Variable)                         // to a channel of capacity one
	Receive(x Variable, or ...Variable) bool // false: from or, which is closed
}

// A Variable is what a scheduler is asked to operate on.
type Variable = interface{ Initial() any } // what it held when the scheduler was set

var scheduling atomic.Pointer[Scheduler]

// Schedule puts s behind all variables of the types of this package, until the next
// call; nil gives it back to the hardware.
func Schedule(s Scheduler) {
	if s == nil {
		scheduling.Store(nil)
	} else {
		scheduling.Store(&s)
	}
}

// Scheduled returns the scheduler, or nil.
func Scheduled() Scheduler {
	if s := scheduling.Load(); s != nil {
		return *s
	}
	return nil
}

// A Number is an atomic 64-bit number.
type Number struct{ v atomic.Uint64 }

func (x *Number) Initial() any { return x.v.Load() }

func (x *Number) Load() uint64 {
	if s := Scheduled(); s != nil {
		return s.Load(x).(uint64)
	}
	return x.v.Load()
}

func (x *Number) Store(v uint64) {
	if s := Scheduled(); s != nil {
		s.Store(x, v)
	} else {
		x.v.Store(v)
	}
}

func (x *Number) CompareAndSwap(old, v uint64) bool {
	if s := Scheduled(); s != nil {
		return s.CompareAndSwap(x, old, v)
	}
	return x.v.CompareAndSwap(old, v)
}

// A Flag is an atomic boolean.
type Flag struct{ v atomic.Bool }

func (x *Flag) Initial() any { return x.v.Load() }

func (x *Flag) Load() bool {
	if s := Scheduled(); s != nil {
		return s.Load(x).(bool)
	}
	return x.v.Load()
}

func (x *Flag) Store(v bool) {
	if s := Scheduled(); s != nil {
		s.Store(x, v)
	} else {
		x.v.Store(v)
	}
}

func (x *Flag) CompareAndSwap(old, v bool) bool {
	if s := Scheduled(); s != nil {
		return s.CompareAndSwap(x, old, v)
	}
	return x.v.CompareAndSwap(old, v)
}

// A Pointer is an atomic pointer.
type Pointer[T any] struct{ v atomic.Pointer[T] }

func (x *Pointer[T]) Initial() any { return x.v.Load() }

func (x *Pointer[T]) Load() *T {
	if s := Scheduled(); s != nil {
		return s.Load(x).(*T)
	}
	return x.v.Load()
}

func (x *Pointer[T]) Store(p *T) {
	if s := Scheduled(); s != nil {
		s.Store(x, p)
	} else {
		x.v.Store(p)
	}
}

// A Guarded pointer is read and written under a mutex alone.
type Guarded[T any] struct{ p *T }

func (x *Guarded[T]) Initial() any { return x.p }

func (x *Guarded[T]) Load() *T {
	if s := Scheduled(); s != nil {
		return s.Load(x).(*T)
	}
	return x.p
}

func (x *Guarded[T]) Store(p *T) {
	if s := Scheduled(); s != nil {
		s.Store(x, p)
	} else {
		x.p = p
	}
}

// A Mutex is a sync.Mutex.
type Mutex struct{ mu sync.Mutex }

func (x *Mutex) Initial() any { return false }

func (x *Mutex) Lock() {
	if s := Scheduled(); s != nil {
		s.Lock(x)
	} else {
		x.mu.Lock()
	}
}

func (x *Mutex) Unlock() {
	if s := Scheduled(); s != nil {
		s.Unlock(x)
	} else {
		x.mu.Unlock()
	}
}

// A Token is a channel of capacity one, on which a process sleeps.
type Token chan struct{}

func (c Token) Initial() any { return len(c) > 0 }

func (c Token) Send() {
	if s := Scheduled(); s != nil {
		s.Send(c)
	} else {
		c <- struct{}{}
	}
}

func (c Token) Receive() {
	if s := Scheduled(); s != nil {
		s.Receive(c)
	} else {
		<-c
	}
}

func (c Token) ReceiveOr(done <-chan struct{}) bool {
	if s := Scheduled(); s != nil {
		return s.Receive(c, Closing(done))
	}
	select {
	case <-c:
		return true
	case <-done:
		return false
	}
}

// A Closing is a channel on which nothing is sent, and which may be closed.
type Closing <-chan struct{}

func (c Closing) Initial() any {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// Gosched is runtime.Gosched, unless there is a scheduler.
func Gosched() {
	if Scheduled() == nil {
		runtime.Gosched()
	}
}
