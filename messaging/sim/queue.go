package sim

import (
	"math/bits"
	"slices"
	"sort"
	"time"

	"example.org/doorway/internal/action"
	"example.org/doorway/messaging"
)

// An event is something that will happen.
type event struct {
	message  messaging.Message
	cause    uint64 // of what is observed then
	from, to int32  // of a crash, from is 1 + the index in Config.Crashes, or 0
	n        int32  // for ask the step of the script, for giveUp the number of the request, for deliver Site.Entries; else the life of to
	kind     eventKind
}

type eventKind uint8

const (
	deliver eventKind = iota
	expire
	ask
	leave
	giveUp
	crash
	tell
	restart
	give
)

// kinds has what errors call an event of each kind, the action that is observed then, and the
// fields of a simulation that count it.
var kinds = [...]struct {
	text, action                 string
	pending, upcoming, returning int
}{
	deliver: {"a message", action.Delivered, 1, 0, 0},
	expire:  {"a timer", action.Expired, 1, 0, 0},
	ask:     {"its request", action.Requested, 1, 1, 0},
	leave:   {"its release", action.Left, 1, 1, 0},
	giveUp:  {"giving up", action.GaveUp, 0, 0, 0},
	crash:   {"its crash", action.Crashed, 0, 0, 0},
	tell:    {"a crash", action.Told, 1, 0, 0},
	restart: {"its restart", action.Restarted, 0, 0, 1},
	give:    {"an input", action.Input, 1, 1, 0},
}

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

	// The events stay in place, indexed by slot. A free slot is overwritten soon and
	// not worth clearing.
	events []event
	free   []uint32

	// What is pending instead, if the caller of a Simulation chooses from it; otherwise nil.
	book *book
}

type key struct {
	at   time.Duration
	slot uint32
}

func (q *queue) empty() bool {
	if q.book != nil {
		return len(q.book.pages) == 0
	}
	return q.filled == 0 && q.head == len(q.current)
}

func (q *queue) push(at time.Duration, e event) {
	k := key{at, q.store(e)}
	if q.book != nil {
		q.book.add(k)
	} else {
		q.put(k)
	}
}

func (q *queue) store(e event) uint32 {
	n := len(q.free) - 1
	if n < 0 {
		q.events = append(q.events, e)
		return uint32(len(q.events) - 1)
	}
	slot := q.free[n]
	q.free = q.free[:n]
	// Field by field: copying the whole struct costs more work for the garbage collector.
	p := &q.events[slot]
	p.message, p.cause, p.from, p.to, p.n, p.kind = e.message, e.cause, e.from, e.to, e.n, e.kind
	return slot
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

// pop removes the first event and returns its time and its slot, where it stays until
// the next push. The queue must not be empty.
func (q *queue) pop() (time.Duration, uint32) {
	if q.book != nil {
		k := q.take(0)
		return k.at, k.slot
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
	q.free = append(q.free, k.slot)
	return k.at, k.slot
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

// A book has what is pending in the order in which it happens, for callers that choose what
// happens next.
type book struct {
	now      *time.Duration
	numbered uint64 // how many events have a number
	pages    []booking
}

// A booking is an event that is pending. Its number counts the events of a run from 1, and
// stays when it is moved.
type booking struct {
	number uint64
	since  time.Duration // when it was scheduled
	key
}

// add adds an event that has no number yet.
func (b *book) add(k key) {
	b.numbered++
	b.put(booking{b.numbered, *b.now, k})
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
	q.book.pages = slices.Delete(q.book.pages, n, n+1)
	q.free = append(q.free, k.slot)
	return k
}
