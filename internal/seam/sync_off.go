//go:build !doorway_explore

package seam

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// The variables with which processes synchronise: here the types of sync and
// sync/atomic, under other names.
type (
	// A Number is an atomic 64-bit number.
	Number = atomic.Uint64
	// A Flag is an atomic boolean.
	Flag = atomic.Bool
	// A Pointer is an atomic pointer.
	Pointer[T any] = atomic.Pointer[T]
	// A Mutex is a sync.Mutex.
	Mutex = sync.Mutex
)

// A Guarded pointer is read and written only under a mutex.
type Guarded[T any] struct{ p *T }

// Load returns the pointer.
func (x *Guarded[T]) Load() *T { return x.p }

// Store replaces the pointer.
func (x *Guarded[T]) Store(p *T) { x.p = p }

// A Token is a channel of capacity one, on which a process sleeps.
type Token chan struct{}

// Send blocks while the channel is full.
func (c Token) Send() { c <- struct{}{} }

// Receive blocks until there is something to receive.
func (c Token) Receive() { <-c }

// ReceiveOr returns true when it has received, and false if done is closed.
func (c Token) ReceiveOr(done <-chan struct{}) bool {
	select {
	case <-c:
		return true
	case <-done:
		return false
	}
}

// A Slot is a channel of capacity one, in which one goroutine leaves a value for
// another.
type Slot[T comparable] chan T

// Offer puts v into the slot, unless it is full, and reports whether it did.
func (s Slot[T]) Offer(v T) bool {
	select {
	case s <- v:
		return true
	default:
		return false
	}
}

// Receive blocks until there is a value in the slot, and takes it.
func (s Slot[T]) Receive() T { return <-s }

// ReceiveOr returns true when it has received, and false if done is closed.
func (s Slot[T]) ReceiveOr(done <-chan struct{}) (v T, ok bool) {
	select {
	case v = <-s:
		return v, true
	case <-done:
		return v, false
	}
}

// Poll returns false if there is nothing to receive.
func (s Slot[T]) Poll() (v T, ok bool) {
	select {
	case v = <-s:
		return v, true
	default:
		return v, false
	}
}

// A Mailbox is a list of values that is read and written only under a mutex.
type Mailbox[T comparable] struct{ values []T }

// Add adds v at the end.
func (b *Mailbox[T]) Add(v T) { b.values = append(b.values, v) }

// Take empties the mailbox and returns what was in it, which is valid until the
// next call of Add.
func (b *Mailbox[T]) Take() []T {
	values := b.values
	b.values = values[:0]
	return values
}

// Acquired is called when the plain memory that an argument represents has passed
// to the calling thread. (It is for schedulers: see Keeper in sync_on.go.)
func Acquired(any) {}

// Released is called when the calling thread no longer uses that memory.
func Released(any) {}

// Close closes c.
func Close(c chan struct{}) { close(c) }

// Gosched is runtime.Gosched.
func Gosched() { runtime.Gosched() }

// Now returns the time in nanoseconds since some moment.
func Now() uint64 { return uint64(time.Since(began)) }

var began = time.Now()
