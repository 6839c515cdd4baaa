package measure

import (
	"fmt"
	"math"
	"slices"
)

// Percentile returns the smallest of the values such that at least the share q
// of them, 0 < q <= 1, are no larger (the nearest rank). The values must be
// sorted in ascending order; of none it returns the zero value.
func Percentile[T any](sorted []T, q float64) T {
	if len(sorted) == 0 {
		var zero T
		return zero
	}
	n := len(sorted)
	return sorted[min(max(int(math.Ceil(q*float64(n))), 1), n)-1]
}

// A Spread is the median of repeated measurements, and between what bounds
// eight out of ten of them lay: the nearest ranks of 10 % and of 90 %, which of
// fewer than ten are the lowest and the highest.
type Spread struct {
	Low    float64 `json:"low"` // 10 %
	Median float64 `json:"median"`
	High   float64 `json:"high"` // 90 %
}

// SpreadOf returns the spread of the values, which it leaves as they are.
func SpreadOf(values []float64) Spread {
	s := slices.Sorted(slices.Values(values))
	return Spread{Percentile(s, 0.1), Percentile(s, 0.5), Percentile(s, 0.9)}
}

// String returns the median and the bounds, with three significant digits.
func (s Spread) String() string {
	return fmt.Sprintf("%.3g (%.3g to %.3g)", s.Median, s.Low, s.High)
}

// MinMax returns the smallest count divided by the largest, from 0, where
// one starved, to 1, where all had the same. Of none, or of zeros, it is 1.
func MinMax(counts []uint64) float64 {
	if len(counts) == 0 || slices.Max(counts) == 0 {
		return 1
	}
	return float64(slices.Min(counts)) / float64(slices.Max(counts))
}

// A Ratio is what came out of comparing A with B.
type Ratio struct {
	A, B       Spread // each for itself
	Ratio      Spread // of A to B, window by window
	Difference Spread // of A less B, window by window
}

// Compare calls a and b windows times each, in [Rounds], and relates what they
// return window by window. Since the two calls of a
// window are near in time, what slows the machine slows both: the median of the
// ratios stands where the ratio of two averages would drift. It blocks for as
// long as the calls take.
func Compare(windows int, a, b func() float64) Ratio {
	var as, bs []float64
	Rounds(windows, func() { as = append(as, a()) }, func() { bs = append(bs, b()) })
	return Relate(as, bs)
}

// Rounds calls each window n times, and none again before all others. Every other round goes backwards, so that
// none always has the heat and the caches of the same.
func Rounds(n int, windows ...func()) {
	for range n {
		for _, window := range windows {
			window()
		}
		slices.Reverse(windows)
	}
}

// Relate relates as many values of A and of B, window by window.
func Relate(as, bs []float64) Ratio {
	ratios, differences := make([]float64, len(as)), make([]float64, len(as))
	for k := range as {
		ratios[k], differences[k] = as[k]/bs[k], as[k]-bs[k]
	}
	return Ratio{SpreadOf(as), SpreadOf(bs), SpreadOf(ratios), SpreadOf(differences)}
}
