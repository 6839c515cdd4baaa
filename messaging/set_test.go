package messaging_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/messaging"
)

func TestSet(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var s messaging.Set
		want := map[messaging.ID]bool{}
		for range 100 {
			switch id := messaging.ID(r.IntN(200)); r.IntN(3) {
			case 0:
				s.Remove(id)
				delete(want, id)
			default:
				s.Add(id)
				want[id] = true
			}
		}
		require.Equal(t, slices.Sorted(maps.Keys(want)), slices.Collect(s.All()))
		require.Equal(t, len(want), s.Len(), "of %v", want)
		for id := range messaging.ID(300) {
			if s.Has(id) != want[id] {
				t.Fatalf("Has(%d) is %t", id, s.Has(id))
			}
		}
		clear(s)
		require.Zero(t, s.Len(), "clear leaves %v", s)
	}
	assert.Equal(t, []messaging.ID{0, 3, 64}, slices.Collect(messaging.SetOf(64, 0, 3).All()))
}

func TestStampsAreOrdered(t *testing.T) {
	a, b, c := messaging.Stamp{Time: 1, ID: 2}, messaging.Stamp{Time: 2, ID: 0}, messaging.Stamp{Time: 2, ID: 1}
	if !a.Before(b) || !b.Before(c) || !a.Before(c) || c.Before(a) || b.Before(b) {
		t.Error("stamps are not ordered by time, then by node")
	}
}
