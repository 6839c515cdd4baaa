//go:build !doorway_explore

package register

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// What processes synchronise by: here the hardware's own, under other names.
// In a build with the tag doorway_explore a checker can stand behind them.
type (
	number         = atomic.Uint64
	flag           = atomic.Bool
	pointer[T any] = atomic.Pointer[T]
	mutex          = sync.Mutex
)

// A guarded pointer is read and written under a mutex alone.
type guarded[T any] struct{ p *T }

func (x *guarded[T]) Load() *T   { return x.p }
func (x *guarded[T]) Store(p *T) { x.p = p }

// A token is a channel of capacity one, on which a process sleeps.
type token chan struct{}

func (c token) send()    { c <- struct{}{} }
func (c token) receive() { <-c }

// receiveOr returns true when it has received, and false if done is closed.
func (c token) receiveOr(done <-chan struct{}) bool {
	select {
	case <-c:
		return true
	case <-done:
		return false
	}
}

func gosched() { runtime.Gosched() }
