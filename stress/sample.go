package stress

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// The samples of all goroutines together take 1 MiB, or 512 bytes each if that
// is more.
const (
	allSamples    = 1 << 17
	fewestSamples = 64
)

// A sample is a uniform sample of bounded size of the durations of one goroutine
// (Vitter 1985, algorithm R): the k-th is kept with probability size/k, and
// replaces a random one.
type sample struct {
	kept []time.Duration
	size int
	seen uint64
	max  time.Duration
	rng  *rand.Rand
}

func newSample(goroutines int, rng *rand.Rand) sample {
	return sample{size: max(allSamples/goroutines, fewestSamples), rng: rng}
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

// A weighted duration stands for as many durations as its weight.
type weighted struct {
	d      time.Duration
	weight float64
}

// merge returns the durations of all samples in ascending order. A goroutine
// that saw many keeps a smaller part of them, and so each weighs more.
func merge(samples []*sample) []weighted {
	var all []weighted
	for _, s := range samples {
		for _, d := range s.kept {
			all = append(all, weighted{d, float64(s.seen) / float64(len(s.kept))})
		}
	}
	slices.SortFunc(all, func(a, b weighted) int { return cmp.Compare(a.d, b.d) })
	return all
}

// quantile returns the smallest duration of sorted that q of the weight does
// not exceed (the nearest rank), or 0 if there is none.
func quantile(sorted []weighted, q float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	total := 0.0
	for _, w := range sorted {
		total += w.weight
	}
	rank := q*total - 1e-9*total // a sum of weights is not exact
	sum := 0.0
	for _, w := range sorted {
		if sum += w.weight; sum >= rank {
			return w.d
		}
	}
	return sorted[len(sorted)-1].d
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
