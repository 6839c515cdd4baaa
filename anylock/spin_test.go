package anylock_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"example.org/doorway/anylock"
)

// A Spin stands for a reader's own lock.
type Spin struct{ held atomic.Bool }

func (l *Spin) Lock() {
	for !l.held.CompareAndSwap(false, true) {
		runtime.Gosched()
	}
}

func (l *Spin) Unlock() { l.held.Store(false) }

func TestSpin(t *testing.T) { // a lock of sync/atomic, sync or channels, as you wrote it
	anylock.Check(t, func() sync.Locker { return new(Spin) })
}
