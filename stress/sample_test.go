package stress

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestQuantile(t *testing.T) {
	t.Parallel()
	var all []time.Duration
	for d := range 1000 {
		all = append(all, time.Duration(1+d))
	}
	for q, want := range map[float64]time.Duration{0: 1, 0.001: 1, 0.5: 500, 0.99: 990, 0.999: 999, 1: 1000} {
		assert.Equal(t, want, quantile(all, q), "quantile %v of 1 to 1000", q)
	}
	assert.Zero(t, quantile(nil, 0.5), "the median of nothing")
}

// Every duration is kept with the same probability. The bound is six standard
// deviations, and the seed fixed.
func TestReservoirIsUniform(t *testing.T) {
	t.Parallel()
	const size, seen, rounds = 10, 50, 20000
	kept := make([]int, seen)
	rng := rand.New(rand.NewPCG(1, 2))
	for range rounds {
		s := sample{size: size, rng: rng}
		for d := range seen {
			s.add(time.Duration(d))
		}
		if s.max != seen-1 || s.seen != seen || len(s.kept) != size {
			t.Fatalf("%+v", s)
		}
		for _, d := range s.kept {
			kept[d]++
		}
	}
	p := float64(size) / seen
	for d, n := range kept {
		if math.Abs(float64(n)-rounds*p) > 6*math.Sqrt(rounds*p*(1-p)) {
			t.Errorf("duration %d was kept %d times of %d, want about %v", d, n, rounds, rounds*p)
		}
	}
}
