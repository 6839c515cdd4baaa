package seam_test

import (
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/internal/seam"
)

// Without a scheduler, a slot is a channel in every build.
func TestSlot(t *testing.T) {
	s, done := make(seam.Slot[int], 1), make(chan struct{})
	_, ok := s.Poll()
	assert.False(t, ok, "Poll of an empty slot")
	s.Offer(1)
	s.Offer(2) // the slot is full
	assert.Equal(t, 1, s.Receive())
	s.Offer(0)
	v, ok := s.Poll()
	assert.Equal(t, 0, v)
	assert.True(t, ok, "a zero value is a value")
	s.Offer(3)
	v, ok = s.ReceiveOr(done)
	assert.Equal(t, 3, v)
	assert.True(t, ok)
	seam.Close(done)
	_, ok = s.ReceiveOr(done)
	assert.False(t, ok, "ReceiveOr when done is closed")
}

func TestMailbox(t *testing.T) {
	var b seam.Mailbox[int]
	assert.Empty(t, b.Take())
	for k := range 9 {
		b.Add(k)
	}
	assert.Equal(t, []int{0, 1, 2, 3, 4, 5, 6, 7, 8}, b.Take())
	assert.Empty(t, b.Take())
	got := testing.AllocsPerRun(100, func() {
		b.Add(1)
		b.Take()
	})
	assert.Zero(t, got, "allocations of a mailbox that keeps its room")
}

func TestDecimal(t *testing.T) {
	for _, n := range []int{0, 9, 10, 1 << 20, -1, -9, -10, math.MaxInt, math.MinInt} {
		assert.Equal(t, strconv.Itoa(n), seam.Decimal(n))
	}
}
