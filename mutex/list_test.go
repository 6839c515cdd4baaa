package mutex

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The list behaves as a slice does, whichever waiter leaves.
func TestList(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var l list
	var model []*waiter
	all := make([]waiter, 8)
	for range 3000 {
		w := &all[r.IntN(len(all))]
		k := slices.Index(model, w)
		switch {
		case k < 0 && r.IntN(2) == 0:
			l.push(w)
			model = append(model, w)
		case len(model) > 0 && r.IntN(4) == 0:
			require.True(t, l.remove(model[0]))
			model = model[1:]
		default:
			require.Equal(t, k >= 0, l.remove(w))
			if k >= 0 {
				model = slices.Delete(model, k, k+1)
			}
		}
		var got []*waiter
		for v := l.first.Load(); v != nil; v = v.next.Load() {
			got = append(got, v)
		}
		require.Truef(t, slices.Equal(model, got), "the list has %d waiters, not these %d in this order", len(got), len(model))
	}
}

// Leaving takes as many steps among thousands as among five. The broken links show
// it: a traversal from either end would not reach the waiter.
func TestLeavingTheListLooksAtNeighboursOnly(t *testing.T) {
	var l list
	ws := make([]waiter, 5)
	for k := range ws {
		l.push(&ws[k])
	}
	ws[0].next.Store(nil)
	ws[4].prev.Store(nil)
	assert.True(t, l.remove(&ws[2]))
	assert.Same(t, &ws[3], ws[1].next.Load())
	assert.Same(t, &ws[1], ws[3].prev.Load())
	assert.False(t, l.remove(&ws[2]), "it has left")
}
