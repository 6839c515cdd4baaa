package stress

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestQuantile(t *testing.T) {
	t.Parallel()
	var s sample
	s.size = 1000
	for d := range 1000 {
		s.add(time.Duration(1000 - d))
	}
	all := merge([]*sample{&s})
	for q, want := range map[float64]time.Duration{0: 1, 0.001: 1, 0.5: 500, 0.99: 990, 0.999: 999, 1: 1000} {
		assert.Equal(t, want, quantile(all, q), "quantile %v of 1 to 1000", q)
	}
	assert.Zero(t, quantile(nil, 0.5), "the median of nothing")
}

// A goroutine that saw more has more weight, though both keep the same number.
func TestMergeWeighs(t *testing.T) {
	t.Parallel()
	few, many := newSample(allSamples, testRand()), newSample(allSamples, testRand())
	for range fewestSamples {
		few.add(1)
	}
	for range 99 * fewestSamples {
		many.add(2)
	}
	all := merge([]*sample{&few, &many})
	require.Len(t, all, 2*fewestSamples, "samples that are kept")
	for q, want := range map[float64]time.Duration{0.0099: 1, 0.01: 1, 0.0101: 2, 0.5: 2} {
		assert.Equal(t, want, quantile(all, q), "quantile %v", q)
	}
}

// Every duration is kept with the same probability. The bound is six standard
// deviations, and the seed fixed.
func TestReservoirIsUniform(t *testing.T) {
	t.Parallel()
	const size, seen, rounds = 10, 50, 20000
	kept := make([]int, seen)
	rng := testRand()
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

func testRand() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }
