package mutex

// A list of waiters, the longest wait first. Any waiter can leave in constant time:
// when thousands abort at once, every other caller waits for the mutex that guards
// the list.
type list struct{ first, last *waiter }

func (l *list) push(w *waiter) {
	last := l.last
	w.prev = last
	w.next = nil
	if last == nil {
		l.first = w
	} else {
		last.next = w
	}
	l.last = w
}

// remove takes w out of the list, and reports whether it was in the list.
func (l *list) remove(w *waiter) bool {
	prev, next := w.prev, w.next
	if prev == nil && l.first != w {
		return false
	}
	if prev == nil {
		l.first = next
	} else {
		prev.next = next
	}
	if next == nil {
		l.last = prev
	} else {
		next.prev = prev
	}
	w.prev = nil
	w.next = nil
	return true
}
