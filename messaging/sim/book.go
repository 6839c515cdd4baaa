package sim

import (
	"slices"
	"sort"
	"time"
)

// A book has what is pending in the order in which it happens, for callers who choose what
// happens next.
type book struct {
	numbered uint64 // how many events have a number
	pages    []booking
}

// A booking is an event that is pending. Its number counts the events of a run from 1, and
// stays when it is moved.
type booking struct {
	number uint64
	key
}

// add adds an event that has no number yet.
func (b *book) add(k key) {
	b.numbered++
	b.put(booking{b.numbered, k})
}

// put adds an event after all others of that time.
func (b *book) put(p booking) {
	n := sort.Search(len(b.pages), func(n int) bool { return b.pages[n].at > p.at })
	b.pages = slices.Insert(b.pages, n, p)
}

// find returns the index in pages of the event of that number, or -1.
func (b *book) find(number uint64) int {
	return slices.IndexFunc(b.pages, func(p booking) bool { return p.number == number })
}

// move gives the event of that number another time.
func (b *book) move(number uint64, at time.Duration) {
	n := b.find(number)
	p := b.pages[n]
	p.at = at
	b.pages = slices.Delete(b.pages, n, n+1)
	b.put(p)
}

// take removes the nth event of the book. It stays in its slot until the next push.
func (q *queue) take(n int) key {
	k := q.book.pages[n].key
	if n == 0 { // mostly
		q.book.pages = q.book.pages[1:]
	} else {
		q.book.pages = slices.Delete(q.book.pages, n, n+1)
	}
	q.free = append(q.free, k.slot)
	return k
}
