package stress

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// A tally counts what the entries of all goroutines took. It is locked in the middle of a critical section, where it
// orders no more than the atomic sum does.
type tally struct {
	mu       sync.Mutex
	passed   uint64 // bypasses of all entries
	furthest uint64 // the most by one entry
	locked   sample // how long calls of Lock took
}

// enter counts an entry that has bypassed so many calls.
func (t *tally) enter(how phase, passed uint64, took time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.passed += passed
	t.furthest = max(t.furthest, passed)
	if how == locking {
		t.locked.add(took)
	}
}

// report sets what the entries took.
func (t *tally) report(r *Report) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r.Bypasses.Mean, r.Bypasses.Max = float64(t.passed)/float64(max(1, r.Entries)), t.furthest
	l, all := &r.Latency, slices.Sorted(slices.Values(t.locked.kept))
	l.Calls, l.Max, l.Sampled = t.locked.seen, t.locked.max, len(all)
	l.P50, l.P99, l.P999 = quantile(all, 0.5), quantile(all, 0.99), quantile(all, 0.999)
}

// samples is how many durations are kept: 1 MiB.
const samples = 1 << 17

// A sample is a uniform sample of bounded size of durations (Vitter 1985,
// algorithm R): the k-th is kept with probability size/k, and replaces a random one.
type sample struct {
	kept []time.Duration
	size int
	seen uint64
	max  time.Duration
	rng  *rand.Rand
}

func (s *sample) add(d time.Duration) {
	s.seen++
	s.max = max(s.max, d)
	if len(s.kept) < s.size {
		s.kept = append(s.kept, d)
	} else if k := s.rng.Uint64N(s.seen); k < uint64(s.size) {
		s.kept[k] = d
	}
}

// quantile returns the smallest duration of sorted that q of them do not exceed (the
// nearest rank), or 0 if there is none.
func quantile(sorted []time.Duration, q float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	const rounding = 1e-9
	return sorted[max(int(math.Ceil(q*float64(len(sorted))-rounding)), 1)-1]
}

// jain returns the fairness index of R. Jain, D. Chiu and W. Hawe ("A
// quantitative measure of fairness and discrimination", 1984): 1 if all x are
// equal, and 1/len(x) if all but one are 0. If all are 0, they are equal.
func jain(x []uint64) float64 {
	sum, squares := 0.0, 0.0
	for _, v := range x {
		sum += float64(v)
		squares += float64(v) * float64(v)
	}
	if squares == 0 {
		return 1
	}
	return math.Min(1, sum*sum/(float64(len(x))*squares))
}
