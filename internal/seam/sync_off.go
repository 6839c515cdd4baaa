//go:build !doorway_explore

package seam

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// What processes synchronise by: here the types of sync and sync/atomic, under
// other names.
type (
	Number         = atomic.Uint64
	Flag           = atomic.Bool
	Pointer[T any] = atomic.Pointer[T]
	Mutex          = sync.Mutex
)

// A Guarded pointer is read and written under a mutex alone.
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

// Gosched is runtime.Gosched.
func Gosched() { runtime.Gosched() }
