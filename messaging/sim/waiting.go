package sim

import (
	"iter"
	"math/bits"
	"slices"
	"time"

	"example.org/doorway/messaging"
)

// A waitQueue has the pending requests, on seats in the order in which they were made. A bit
// for each seat counts those that an entry bypasses, 64 at a time: a list of thousands would
// be slow wherever it is not the first that enters.
type waitQueue struct {
	seats []messaging.ID
	taken []uint64
	head  int // no seat before it is taken
	count int // how many seats are taken
}

// wait begins the wait of node i.
func (s *simulation) wait(i messaging.ID) {
	if w := &s.waiting; len(w.seats) > 4*w.count+1024 { // the requests since the last time pay for it
		all := slices.AppendSeq(make([]messaging.ID, 0, w.count), w.first(len(w.seats)))
		*w = waitQueue{seats: w.seats[:0], taken: w.taken[:0]}
		for _, j := range all {
			s.sit(j, s.users[j].asked)
		}
	}
	s.sit(i, s.Now)
}

// sit gives node i the next seat, for a request made at a time not before that of the others.
func (s *simulation) sit(i messaging.ID, asked time.Duration) {
	w, seat := &s.waiting, len(s.waiting.seats)
	older := seat
	if seat > 0 && s.users[w.seats[seat-1]].asked == asked {
		older = s.users[w.seats[seat-1]].older
	}
	u := &s.users[i]
	u.asked, u.seat, u.older = asked, seat, older
	w.seats = append(w.seats, i)
	if seat%64 == 0 {
		w.taken = append(w.taken, 0)
	}
	w.taken[seat/64] |= 1 << (seat % 64)
	w.count++
}

// free frees a seat.
func (w *waitQueue) free(seat int) {
	w.taken[seat/64] &^= 1 << (seat % 64)
	w.count--
	for w.head < len(w.seats) && !w.has(w.head) {
		w.head++
	}
}

func (w *waitQueue) has(seat int) bool { return w.taken[seat/64]&(1<<(seat%64)) != 0 }

// before returns how many of the seats before that one, which exists, are taken.
func (w *waitQueue) before(seat int) (n int) {
	for k := w.head / 64; k < seat/64; k++ {
		n += bits.OnesCount64(w.taken[k])
	}
	return n + bits.OnesCount64(w.taken[seat/64]&(1<<(seat%64)-1))
}

// first yields the nodes that wait on the first n seats, in their order.
func (w *waitQueue) first(n int) iter.Seq[messaging.ID] {
	return func(yield func(messaging.ID) bool) {
		for k := w.head; k < n; k++ {
			if w.has(k) && !yield(w.seats[k]) {
				return
			}
		}
	}
}
