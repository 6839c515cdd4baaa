package space

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Rows have what was added, however many successors a state has and however far away they
// are, and negative codes.
func TestRows(t *testing.T) {
	var r rows
	want := [][]int32{
		{},
		{1},
		{127, -128},
		{128},
		{-129, 5},
		{1 << 15, 0},
		{-1 << 23},
		{1<<23 - 1},
		{1 << 23},
		{},
		{math.MaxInt32 - 10, -7},
		{math.MinInt32, math.MaxInt32},
		make([]int32, 31), make([]int32, 32), make([]int32, 5000),
		{3},
	}
	bases := make([]ID, len(want))
	for k, differences := range want {
		bases[k] = ID(k * 1000)
		for j := range differences {
			differences[j] += int32(bases[k]) // may wrap around
		}
		r.add(bases[k], differences)
	}
	for k, row := range want {
		n, width, at := r.row(k)
		require.Equal(t, len(row), n)
		got := make([]int32, 0, n)
		for slot := range n {
			got = append(got, int32(r.to(bases[k], width, at+slot*width)))
		}
		assert.Equal(t, row, got)
	}
	assert.Less(t, r.data.n, 5000+32+31+100, "near ones take a byte")
}

// A line has states without end.
type line struct{}

func (line) Steps(k []uint64, _ int, out *Steps) bool {
	out.To([]uint64{k[0] + 1})
	return true
}

func (line) Learn([]uint64) {}

// Progress is reported when it is time, here always, with more states each time, and at the end.
func TestProgress(t *testing.T) {
	var states []int
	s := New([]uint64{0}, line{}, Options{Progress: func(n int, bytes int64) {
		states = append(states, n)
		assert.Positive(t, bytes)
	}})
	_, err := s.Explore(func() bool {
		s.search.(*searcher[[1]uint64]).next = time.Unix(1, 0)
		return len(states) > 9 || s.Depth() > 100
	})
	require.NoError(t, err)
	assert.IsIncreasing(t, states)
	assert.Equal(t, s.States(), states[len(states)-1])
}
