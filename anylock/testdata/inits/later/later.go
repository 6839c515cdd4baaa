// Package later has locks that depend on what is set before and after something unknown is called.
package later

import (
	"math"
	"sync"
)

// A Lock locks nothing if it is open.
type Lock struct {
	mu   sync.Mutex
	open func() bool
}

// Lock locks l.
func (l *Lock) Lock() {
	if !l.open() {
		l.mu.Lock()
	}
}

// Unlock unlocks l.
func (l *Lock) Unlock() {
	if !l.open() {
		l.mu.Unlock()
	}
}

var (
	before  = 2
	unknown = which()
	_       = unknown()

	to     = pick(place{})
	target = 1
	_      = through()

	after = 2
)

func which() func() bool {
	if math.Sqrt(4) == 2 {
		return func() bool { return false }
	}
	return func() bool { return true }
}

type place struct{}

func (place) get() *int { return &target }

func pick(x interface{ get() *int }) *int {
	if math.Sqrt(4) == 2 {
		return x.get()
	}
	return nil
}

func through() bool {
	*to = 2
	return true
}

// NewAfter returns a lock that is none.
func NewAfter() *Lock { return &Lock{open: func() bool { return after == 2 }} }

// NewBefore returns one, which is not known.
func NewBefore() *Lock { return &Lock{open: func() bool { return before == 2 }} }

// NewTarget is such a one.
func NewTarget() *Lock { return &Lock{open: func() bool { return target == 2 }} }
