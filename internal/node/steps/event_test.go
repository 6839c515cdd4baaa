package steps

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// A slot is used again once its event was taken, so a store is as large as the most events at a time.
func TestSlots(t *testing.T) {
	var s Store
	var slots []uint32
	for n := range int32(10_000) {
		slots = append(slots, s.Put(Event{N: n}))
		if len(slots) > 7 {
			assert.Equal(t, n-7, s.Take(slots[0]).N)
			slots = slots[1:]
		}
	}
	assert.Len(t, s.events, 8)
}
