//go:build !doorway_explore

package seam

import (
	"sync"
	"sync/atomic"
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

// Scheduled returns nil: this build can have no scheduler.
func Scheduled() Scheduler { return nil }
