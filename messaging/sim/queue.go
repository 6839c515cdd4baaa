package sim

import (
	"math/bits"
	"time"

	"example.org/doorway/internal/node/steps"
)

// A queue holds events in the order of their times, and those of the same time in the
// order in which they were pushed. No event may be pushed with a time before the last
// that was popped; time in a simulation passes so anyway.
//
// It is the radix heap of R. K. Ahuja, K. Mehlhorn, J. B. Orlin and R. E. Tarjan,
// "Faster algorithms for the shortest path problem", Journal of the ACM 37(2), 1990.
// Bucket b has the times whose highest bit that differs from last is b, so that all
// of them are before those of bucket b+1. When the first bucket is due, its least
// time becomes last, and its keys move to lower buckets, in their order: equal times
// are always in the same bucket and keep their order. A key can move once for each
// bit of its time, but rarely moves more often than the number of pending events has
// bits.
//
// With some hundred events at random times, it takes half as long as a heap with four
// children per node, whose branches are unpredictable.
type queue struct {
	last    time.Duration
	current []key // at the time last, from head on
	head    int
	buckets [63][]key
	filled  uint64 // a bit for each bucket that is not empty

	store steps.Store

	// What is pending instead, if the caller of a Simulation chooses from it; otherwise nil.
	book *steps.Book
}

type key struct {
	at   time.Duration
	slot uint32
}

func (q *queue) empty() bool {
	if q.book != nil {
		return len(q.book.Pages) == 0
	}
	return q.filled == 0 && q.head == len(q.current)
}

func (q *queue) push(at time.Duration, e steps.Event) {
	if q.book != nil {
		q.book.Add(at, e)
	} else {
		q.put(key{at, q.store.Put(e)})
	}
}

func (q *queue) put(k key) {
	if k.at == q.last {
		q.current = append(q.current, k)
		return
	}
	b := bits.Len64(uint64(k.at^q.last)) - 1
	q.filled |= 1 << b
	q.buckets[b] = append(q.buckets[b], k)
}

// pop removes the first event and returns its time. The event stays where it is until the next push. The queue must
// not be empty.
func (q *queue) pop() (time.Duration, *steps.Event) {
	if q.book != nil {
		p, e := q.book.Take(0)
		return p.At, e
	}
	if q.head == len(q.current) {
		q.redistribute()
	}
	k := q.current[q.head]
	q.head++
	if q.head >= 1024 && 2*q.head >= len(q.current) { // in case time does not pass
		q.current = q.current[:copy(q.current, q.current[q.head:])]
		q.head = 0
	}
	return k.at, q.store.Take(k.slot)
}

// redistribute moves the keys of the first bucket to lower ones, once no event of the
// current time is left.
func (q *queue) redistribute() {
	q.current, q.head = q.current[:0], 0
	b := bits.TrailingZeros64(q.filled)
	q.filled &^= 1 << b
	bucket := q.buckets[b]
	q.buckets[b] = bucket[:0]
	q.last = bucket[0].at
	for _, k := range bucket[1:] {
		q.last = min(q.last, k.at)
	}
	for _, k := range bucket {
		q.put(k)
	}
}
