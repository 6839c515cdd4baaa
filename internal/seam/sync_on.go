//go:build doorway_explore

package seam

import (
	"sync"
	"sync/atomic"
)

var scheduling atomic.Pointer[Scheduler]

// Schedule makes s the scheduler of all variables of the types of this package until
// the next call; nil returns them to the hardware.
func Schedule(s Scheduler) {
	if s == nil {
		scheduling.Store(nil)
	} else {
		scheduling.Store(&s)
	}
}

// ScheduleUnlessZero calls Schedule, with nil if s is the zero value.
func ScheduleUnlessZero[S interface {
	comparable
	Scheduler
}](s S) {
	var none S
	if s == none {
		Schedule(nil)
	} else {
		Schedule(s)
	}
}

// Scheduled returns the scheduler, or nil.
func Scheduled() Scheduler {
	if s := scheduling.Load(); s != nil {
		return *s
	}
	return nil
}

// The variables with which processes synchronise: as in any other build, unless a
// scheduler is set. Then it decides every operation, and the variables keep the
// values that they had when it was set.
type (
	// A Number is an atomic 64-bit number.
	Number = atom[uint64, atomic.Uint64, *atomic.Uint64]
	// A Flag is an atomic boolean.
	Flag = atom[bool, atomic.Bool, *atomic.Bool]
	// A Pointer is an atomic pointer.
	Pointer[T any] = atom[*T, atomic.Pointer[T], *atomic.Pointer[T]]
)

// An atom is an atomic variable with values of type T; H is that of the hardware.
type atom[T, H any, P interface {
	*H
	Load() T
	Store(v T)
	CompareAndSwap(old, v T) bool
	Swap(v T) T
}] struct{ v H }

// Initial is what a scheduler takes x to hold at first.
func (x *atom[T, H, P]) Initial() any { return P(&x.v).Load() }

// Load reads x.
func (x *atom[T, H, P]) Load() T {
	if s := Scheduled(); s != nil {
		return s.Load(x).(T)
	}
	return P(&x.v).Load()
}

// Store writes x.
func (x *atom[T, H, P]) Store(v T) {
	if s := Scheduled(); s != nil {
		s.Store(x, v)
	} else {
		P(&x.v).Store(v)
	}
}

// CompareAndSwap writes v to x if it holds old, and reports whether it did.
func (x *atom[T, H, P]) CompareAndSwap(old, v T) bool {
	if s := Scheduled(); s != nil {
		return s.CompareAndSwap(x, old, v)
	}
	return P(&x.v).CompareAndSwap(old, v)
}

// Swap writes v to x and returns what x held before.
func (x *atom[T, H, P]) Swap(v T) T {
	if s := Scheduled(); s != nil {
		return s.Swap(x, v).(T)
	}
	return P(&x.v).Swap(v)
}

// Add adds delta to x, which must be a Number, and returns the sum.
func (x *atom[T, H, P]) Add(delta uint64) uint64 {
	if s := Scheduled(); s != nil {
		return s.Add(x, delta)
	}
	return any(&x.v).(*atomic.Uint64).Add(delta)
}

// A Mutex is a sync.Mutex.
type Mutex struct{ mu sync.Mutex }

// Initial is what a scheduler takes x to hold at first.
func (x *Mutex) Initial() any { return false }

// Lock locks x.
func (x *Mutex) Lock() {
	if s := Scheduled(); s != nil {
		s.Lock(x)
	} else {
		x.mu.Lock()
	}
}

// Unlock unlocks x.
func (x *Mutex) Unlock() {
	if s := Scheduled(); s != nil {
		s.Unlock(x)
	} else {
		x.mu.Unlock()
	}
}
