package bench

import (
	"math"
	"testing"
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
		if got := Percentile(hundred, c.q); got != c.want {
			t.Errorf("percentile %v of 1 to 100: %v, want %v", c.q, got, c.want)
		}
	}
	// The example of nearest ranks that every textbook has.
	for q, want := range map[float64]float64{0.05: 15, 0.3: 20, 0.4: 20, 0.5: 35, 1: 50} {
		if got := Percentile([]float64{15, 20, 35, 40, 50}, q); got != want {
			t.Errorf("percentile %v: %v, want %v", q, got, want)
		}
	}
	if got := Percentile([]int(nil), 0.5); got != 0 {
		t.Errorf("percentile of nothing: %v", got)
	}
}

func TestMeanFrom(t *testing.T) {
	values := []int64{1, 2, 3, 4, 10}
	for q, want := range map[float64]float64{0.2: 4, 0.8: 7, 0.999: 10, 1: 10} {
		if got := meanFrom(values, q); got != want {
			t.Errorf("mean from %v: %v, want %v", q, got, want)
		}
	}
	if got := meanFrom([]int64(nil), 0.5); got != 0 {
		t.Errorf("mean of nothing: %v", got)
	}
}

func TestSpreadIsMedianAndDeciles(t *testing.T) {
	values := []float64{5, 3, 11, 1, 9, 7, 2, 10, 4, 8, 6}
	if got, want := SpreadOf(values), (Spread{2, 6, 10}); got != want {
		t.Errorf("spread %v, want %v", got, want)
	}
	if values[0] != 5 {
		t.Error("SpreadOf has sorted what is not its own")
	}
	if got, want := (Spread{0.5, 1.23456, 12345}).String(), "1.23 (0.5 to 1.23e+04)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
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
	} {
		if got := MinMax(c.counts); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("min/max of %v: %v, want %v", c.counts, got, c.want)
		}
	}
}

func TestCompareAlternatesAndRelatesWindowByWindow(t *testing.T) {
	var order string
	speed := 1.
	r := Compare(5,
		func() float64 { order += "a"; speed *= 2; return 3 * speed },
		func() float64 { order += "b"; return speed })
	if want := "abbaabbaab"; order != want {
		t.Errorf("order %s, want %s", order, want)
	}
	if want := (Spread{6, 24, 96}); r.A != want {
		t.Errorf("A %v, want %v", r.A, want)
	}
	// The machine doubles its speed before each a: where b went first, the
	// ratio is 6, and a median of five windows does not mind.
	if want := (Spread{3, 3, 6}); r.Ratio != want {
		t.Errorf("ratio %v, want %v", r.Ratio, want)
	}
	if want := (Spread{4, 16, 64}); r.Difference != want {
		t.Errorf("difference %v, want %v", r.Difference, want)
	}
}
