package sim

import (
	"cmp"
	"math/bits"
	"slices"
	"time"
)

// A book has what is in a queue by number, for callers who choose what happens next.
type book struct {
	pushed   uint64    // how many events were pushed, those that were moved again
	numbered uint64    // how many events have a number
	pages    []booking // by number
	bySlot   []uint64  // the number of the event in each slot
}

// A booking is an event in a queue. Its number counts the events of a run from 1, and
// stays when it is moved; its order is that among those of the same time.
type booking struct {
	number, order uint64
	key
}

// add adds the event of k, which has been pushed.
func (b *book) add(k key) {
	b.numbered++
	b.pushed++
	b.pages = append(b.pages, booking{b.numbered, b.pushed, k})
	b.note(k.slot, b.numbered)
}

func (b *book) note(slot uint32, number uint64) {
	if grow := int(slot) + 1 - len(b.bySlot); grow > 0 {
		b.bySlot = append(b.bySlot, make([]uint64, grow)...)
	}
	b.bySlot[slot] = number
}

// remove removes the event of a slot.
func (b *book) remove(slot uint32) {
	n, _ := b.find(b.bySlot[slot])
	b.pages = slices.Delete(b.pages, n, n+1)
}

// find returns the index in pages of the event of that number.
func (b *book) find(number uint64) (n int, found bool) {
	return slices.BinarySearchFunc(b.pages, number, func(p booking, number uint64) int { return cmp.Compare(p.number, number) })
}

// take removes the event of k, which is in the queue. It stays in its slot until the next
// push.
func (q *queue) take(k key) {
	q.lift(k)
	q.free = append(q.free, k.slot)
	q.book.remove(k.slot)
}

// move gives the nth event of the book another time, after all others of that time.
func (q *queue) move(n int, at time.Duration) {
	p := &q.book.pages[n]
	q.lift(p.key)
	p.at = at
	q.put(p.key)
	q.book.pushed++
	p.order = q.book.pushed
}

// lift removes a key from the heap.
func (q *queue) lift(k key) {
	if k.at == q.last {
		n := q.head + slices.Index(q.current[q.head:], k)
		q.current = slices.Delete(q.current, n, n+1)
		return
	}
	b := bits.Len64(uint64(k.at^q.last)) - 1
	n := slices.Index(q.buckets[b], k)
	q.buckets[b] = slices.Delete(q.buckets[b], n, n+1)
	if len(q.buckets[b]) == 0 {
		q.filled &^= 1 << b
	}
}
