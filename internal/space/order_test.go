package space_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/space"
)

// An order has each state once, after its successors, whether all ways to a state have the
// same length (which a step over a level spoils) or not; with a cycle there is none.
func TestOrder(t *testing.T) {
	const levels, width = 30, 20
	for name, spoilt := range map[string]struct{ steps, by int }{"graded": {0, 0}, "acyclic": {40, 2 * width}, "cyclic": {40, -2 * width}, "loop": {1, 0}} {
		rnd := rand.New(rand.NewPCG(1, 0))
		r := &random{steps: make([][]int, levels*width), learned: make([]bool, levels*width)}
		for s := range r.steps {
			r.learned[s] = true
			for range 4 {
				if next := (s/width + 1) * width; next < len(r.steps) {
					r.steps[s] = append(r.steps[s], next+rnd.IntN(width))
				}
			}
		}
		for range spoilt.steps {
			s := 10*width + rnd.IntN(10*width)
			r.steps[s] = append(r.steps[s], s+spoilt.by)
		}
		g := space.New(key(0), r, space.Options{Workers: 2, Keep: true})
		_, err := g.Explore(never)
		require.NoError(t, err)
		order := g.Order()
		if name == "cyclic" || name == "loop" {
			require.Nil(t, order, name)
			continue
		}
		assert.Len(t, order, g.States(), name)
		seen := map[space.ID]bool{}
		for _, i := range order {
			for slot := range g.Degree(i) {
				require.True(t, seen[g.Successor(i, slot)], name)
			}
			seen[i] = true
		}
		assert.Len(t, seen, g.States(), name)

		// Components are the same states, with or without it.
		in := func(i space.ID) bool { return i%3 != 0 }
		count := func(order []space.ID) (n int) {
			sub := space.Subgraph{Graph: g.Graph, In: in, Order: order}
			sub.Components(new(space.Scratch), func(c *space.Component) bool {
				require.Len(t, c.States, 1)
				n++
				return false
			})
			return n
		}
		assert.Equal(t, count(nil), count(order), name)
	}
}
