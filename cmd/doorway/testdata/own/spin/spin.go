// Package spin has a lock whose author forgot that another may come between two lines.
package spin

import "sync/atomic"

// A Racy is a lock.
type Racy struct{ held atomic.Bool }

// Lock locks l.
func (l *Racy) Lock() {
	for l.held.Load() {
	}

	l.held.Store(true)
}

// Unlock unlocks l.
func (l *Racy) Unlock() { l.held.Store(false) }
