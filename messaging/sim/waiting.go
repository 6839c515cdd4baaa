package sim

import (
	"iter"
	"math/bits"
	"slices"
	"time"

	"example.org/doorway/messaging"
)

// A waitQueue holds the pending requests, on seats in the order in which they were
// made. It counts how many older requests an entry bypasses, 64 seats at a time.
type waitQueue struct {
	seats []seat
	taken []uint64 // a bit for each seat
	head  int      // no seat before it is taken
	count int      // how many seats are taken
}

type seat struct {
	node  messaging.ID
	asked time.Duration
	older int // the seats before this one belong to requests made earlier
}

// join adds a request of a node and returns its seat.
func (w *waitQueue) join(node messaging.ID, asked time.Duration) int {
	w.count++
	return w.append(node, asked)
}

func (w *waitQueue) append(node messaging.ID, asked time.Duration) int {
	k := len(w.seats)
	older := k
	if k > 0 && w.seats[k-1].asked == asked {
		older = w.seats[k-1].older
	}
	w.seats = append(w.seats, seat{node, asked, older})
	if k&63 == 0 {
		w.taken = append(w.taken, 0)
	}
	w.taken[k>>6] |= 1 << (k & 63)
	return k
}

// leave frees a seat and returns how many earlier requests still wait.
func (w *waitQueue) leave(k int) int {
	w.count--
	w.taken[k>>6] &^= 1 << (k & 63)
	bypassed := w.before(w.seats[k].older)
	w.advance()
	return bypassed
}

// before returns how many seats before seat k are taken.
func (w *waitQueue) before(k int) int {
	n := 0
	for word := w.head >> 6; word < k>>6; word++ {
		n += bits.OnesCount64(w.taken[word])
	}
	if k&63 != 0 {
		n += bits.OnesCount64(w.taken[k>>6] << (64 - k&63))
	}
	return n
}

// first yields the nodes that wait on the first k seats, in order.
func (w *waitQueue) first(k int) iter.Seq[messaging.ID] {
	return func(yield func(messaging.ID) bool) {
		for at := w.head; at < k; at++ {
			if w.taken[at>>6]&(1<<(at&63)) != 0 && !yield(w.seats[at].node) {
				return
			}
		}
	}
}

// advance moves head to the first seat that is taken.
func (w *waitQueue) advance() {
	for word := w.head >> 6; word < len(w.taken); word++ {
		if w.taken[word] != 0 {
			w.head = word<<6 + bits.TrailingZeros64(w.taken[word])
			return
		}
	}
	w.head = len(w.seats)
}

// oldest returns when the oldest pending request was made. There must be one.
func (w *waitQueue) oldest() time.Duration { return w.seats[w.head].asked }

// sparse reports whether so many seats are free that compact is worthwhile: the
// requests since the last compact pay for it.
func (w *waitQueue) sparse() bool { return len(w.seats) > 4*w.count+1024 }

// compact moves the pending requests to the first seats, in their order.
func (w *waitQueue) compact() {
	old, taken := w.seats, slices.Clone(w.taken)
	w.seats, w.taken, w.head = w.seats[:0], w.taken[:0], 0 // no request moves to a later seat
	for k, s := range old {
		if taken[k>>6]&(1<<(k&63)) != 0 {
			w.append(s.node, s.asked)
		}
	}
}
