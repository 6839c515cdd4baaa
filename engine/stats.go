package engine

import (
	"math/bits"
	"time"
)

// Stats count what has happened in a process since it has joined.
type Stats struct {
	Entries uint64 // guards that were given
	Aborted uint64 // calls of Lock that gave up; one that was let in at that moment is an entry, too
	Lost    uint64 // guards whose context ended before Unlock
	Views   uint64 // that have begun here
	Resets  uint64 // epochs that this process has ended, since a message was impossible

	Sent     uint64 // frames
	Received uint64
	Dropped  uint64 // of those received: they were of another epoch, or of no member

	Wait, Hold Histogram // how long those waited that entered, and how long they were inside
}

// A Histogram counts durations: element k those of less than 1<<k microseconds and at least half of that. The
// last has all longer ones, too.
type Histogram [36]uint64

func (h *Histogram) add(d time.Duration) {
	h[min(len(h)-1, bits.Len64(uint64(max(0, d.Microseconds()))))]++
}

// Quantile returns a duration that a part q of those counted, from 0 to 1, do not exceed: the least power of two
// in microseconds; 0 if there are none.
func (h Histogram) Quantile(q float64) time.Duration {
	all, sum := uint64(0), uint64(0)
	for _, n := range h {
		all += n
	}
	for k, n := range h {
		if sum += n; n > 0 && float64(sum) >= q*float64(all) {
			return time.Microsecond << k
		}
	}
	return 0
}

// Stats returns the counts at present.
func (l *Lock) Stats() Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stats
}
