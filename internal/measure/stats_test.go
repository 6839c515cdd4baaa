package measure

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestPercentileIsTheNearestRank(t *testing.T) {
	hundred := make([]int, 100)
	for k := range hundred {
		hundred[k] = k + 1
	}
	for _, c := range []struct {
		q    float64
		want int
	}{{0.001, 1}, {0.01, 1}, {0.011, 2}, {0.5, 50}, {0.9, 90}, {0.99, 99}, {0.991, 100}, {0.999, 100}, {1, 100}} {
		assert.Equal(t, c.want, Percentile(hundred, c.q), "percentile %v of 1 to 100", c.q)
	}
	// The example of nearest ranks that every textbook has.
	for q, want := range map[float64]float64{0.05: 15, 0.3: 20, 0.4: 20, 0.5: 35, 1: 50} {
		assert.Equal(t, want, Percentile([]float64{15, 20, 35, 40, 50}, q), "percentile %v", q)
	}
	assert.Zero(t, Percentile([]int(nil), 0.5), "percentile of nothing")
}

func TestSpreadIsMedianAndDeciles(t *testing.T) {
	values := []float64{5, 3, 11, 1, 9, 7, 2, 10, 4, 8, 6}
	assert.Equal(t, Spread{2, 6, 10}, SpreadOf(values))
	assert.Equal(t, 5.0, values[0], "SpreadOf has sorted what is not its own")
	assert.Equal(t, "1.23 (0.5 to 1.23e+04)", Spread{0.5, 1.23456, 12345}.String())
}

func TestMinMax(t *testing.T) {
	for _, c := range []struct {
		counts []uint64
		want   float64
	}{
		{nil, 1},
		{[]uint64{0, 0}, 1},
		{[]uint64{7}, 1},
		{[]uint64{5, 5, 5, 5}, 1},
		{[]uint64{9, 0, 0, 0}, 0},
		{[]uint64{1, 3}, 1. / 3},
		{[]uint64{1, 2, 3, 4}, 0.25},
		{[]uint64{190, 190, 10, 10}, 1. / 19},
	} {
		assert.InDelta(t, c.want, MinMax(c.counts), 1e-12, "min/max of %v", c.counts)
	}
}

func TestCompareAlternatesAndRelatesWindowByWindow(t *testing.T) {
	var order string
	speed := 1.
	r := Compare(5,
		func() float64 { order += "a"; speed *= 2; return 3 * speed },
		func() float64 { order += "b"; return speed })
	assert.Equal(t, "abbaabbaab", order)
	assert.Equal(t, Spread{6, 24, 96}, r.A, "A")
	// The machine doubles its speed before each a: where b went first, the
	// ratio is 6, and a median of five windows does not mind.
	assert.Equal(t, Spread{3, 3, 6}, r.Ratio, "ratio")
	assert.Equal(t, Spread{4, 16, 64}, r.Difference, "difference")
}
