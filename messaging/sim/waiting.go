package sim

import (
	"math/bits"
	"slices"
	"time"

	"example.org/doorway/messaging"
)

// A waitQueue are the requests that wait, on seats in the order in which they
// were made. It tells how many older ones whoever enters bypasses, by
// counting 64 seats at a time.
type waitQueue struct {
	seats []seat
	taken []uint64 // a bit for each seat
	head  int      // no seat before it is taken
	count int      // how many are
}

type seat struct {
	node  messaging.ID
	asked time.Duration
	older int // the seats before this one are of requests that were made earlier
}

// join has a node wait, and returns its seat.
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

// leave frees a seat, and returns how many wait that asked earlier.
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

// oldest returns when the first of those that wait has asked. Somebody must wait.
func (w *waitQueue) oldest() time.Duration { return w.seats[w.head].asked }

// crowded reports whether so many seats are free in between that compact is worth
// while: its time is made up for by the requests since the last.
func (w *waitQueue) sparse() bool { return len(w.seats) > 4*w.count+1024 }

// compact has those that wait move up to the first seats, in their order.
func (w *waitQueue) compact() {
	old, taken := w.seats, slices.Clone(w.taken)
	w.seats, w.taken, w.head = w.seats[:0], w.taken[:0], 0 // nobody moves to a seat behind
	for k, s := range old {
		if taken[k>>6]&(1<<(k&63)) != 0 {
			w.append(s.node, s.asked)
		}
	}
}
