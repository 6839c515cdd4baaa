package mutex

import "example.org/doorway/internal/seam"

// A list of waiters, the longest wait first. Any waiter can leave in constant time:
// when thousands abort at once, every other caller waits for the mutex that guards
// the list.
type list struct{ first, last seam.Guarded[waiter] }

func (l *list) push(w *waiter) {
	last := l.last.Load()
	w.prev.Store(last)
	w.next.Store(nil)
	if last == nil {
		l.first.Store(w)
	} else {
		last.next.Store(w)
	}
	l.last.Store(w)
}

// remove takes w out of the list, and reports whether it was in the list.
func (l *list) remove(w *waiter) bool {
	prev, next := w.prev.Load(), w.next.Load()
	if prev == nil && l.first.Load() != w {
		return false
	}
	if prev == nil {
		l.first.Store(next)
	} else {
		prev.next.Store(next)
	}
	if next == nil {
		l.last.Store(prev)
	} else {
		next.prev.Store(prev)
	}
	w.prev.Store(nil)
	w.next.Store(nil)
	return true
}
