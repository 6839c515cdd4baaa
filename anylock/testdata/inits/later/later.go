// Package later has locks that depend on what is set before and after something unknown is called.
package later

import (
	"math"
	"sync"
)

var (
	before  = 2
	unknown = which()
	_       = unknown()
	after   = 2
)

func which() func() bool {
	if math.Sqrt(4) == 2 {
		return func() bool { return false }
	}
	return func() bool { return true }
}

// After locks nothing.
type After struct{ mu sync.Mutex }

// Lock locks l.
func (l *After) Lock() {
	if after != 2 {
		l.mu.Lock()
	}
}

// Unlock unlocks l.
func (l *After) Unlock() {
	if after != 2 {
		l.mu.Unlock()
	}
}

// Before locks nothing, which is not known.
type Before struct{ mu sync.Mutex }

// Lock locks l.
func (l *Before) Lock() {
	if before != 2 {
		l.mu.Lock()
	}
}

// Unlock unlocks l.
func (l *Before) Unlock() {
	if before != 2 {
		l.mu.Unlock()
	}
}
