package measure

import (
	"sync"
	"time"
)

// A Section is a critical section: busy work on one cache line of data, which
// the lock must guard. It is for one goroutine at a time; that two are not
// inside at once is what the race detector sees.
type Section struct {
	spins int
	_     line
	words [8]uint64
}

// Work returns a section of about d on this machine while it is undisturbed. A
// section of no time adds one and is done.
//
// The first call calibrates, which blocks for some milliseconds: it times a
// batch of spins again and again, and takes the median. The multiplications of
// a spin wait for each other, so that nothing but the clock of the core sets
// the pace. A section that moves between cores takes longer by the transfer of
// its line, as a real one does.
func Work(d time.Duration) *Section {
	if d <= 0 {
		return &Section{}
	}
	return &Section{spins: max(1, int(float64(d)/spinTime()+0.5))}
}

// Do works: this is what stands between Lock and Unlock.
func (s *Section) Do() {
	s.words[0]++
	x := s.words[0]
	for k := range s.spins {
		x = x*6364136223846793005 + 1442695040888963407
		s.words[1+k%7] = x
	}
}

// spinTime returns the nanoseconds of one spin, as they were at the first call.
var spinTime = sync.OnceValue(func() float64 {
	times := make([]float64, 25)
	for k := range times {
		times[k] = timeSpin()
	}
	return SpreadOf(times).Median
})

// timeSpin times a batch of spins once, and returns the nanoseconds of one.
func timeSpin() float64 {
	const spins, batch = 64, 400
	s := Section{spins: spins}
	start := time.Now()
	for range batch {
		s.Do()
	}
	return float64(time.Since(start)) / (spins * batch)
}
