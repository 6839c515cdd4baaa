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

	// Wait has how long the requests waited that entered, and Hold how long they were inside. Element 0 counts durations
	// of less than 1 µs, element k those of at least 1<<(k-1) and less than 1<<k µs, and the last, 35, longer ones too.
	Wait, Hold [36]uint64
}

// count counts a duration.
func count(in *[36]uint64, d time.Duration) {
	in[min(len(in)-1, bits.Len64(uint64(max(0, d.Microseconds()))))]++
}

// Stats returns the counts at present.
func (l *Lock) Stats() Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stats
}
