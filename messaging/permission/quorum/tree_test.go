package quorum

import (
	"math/bits"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/messaging"
)

// A path leads from the root through the node to a leaf, and each leaf is in the set of one
// other node at most, but for that of an only child.
func TestTreeAsksPaths(t *testing.T) {
	for n := 1; n <= 100; n++ {
		s, err := Tree(n)
		p := must(t, s, err).Properties()
		assert.Empty(t, p.Strangers, "tree of %d: nodes that are not in their own sets", n)
		assert.Equal(t, bits.Len(uint(n)), p.Size.Most, "tree of %d: members of a set", n)
		duty := make([]int, n)
		for i := range messaging.ID(n) {
			path := s.Of(i)
			require.Zero(t, path[0], "tree of %d: node %d asks %v", n, i, path)
			for k, v := range path[1:] {
				require.Equal(t, path[k], (v-1)/2, "tree of %d: node %d asks %v", n, i, path)
			}
			require.GreaterOrEqual(t, 2*int(path[len(path)-1])+1, n, "tree of %d: node %d asks %v", n, i, path)
			for _, v := range path {
				duty[v]++
			}
		}
		for v := n / 2; v < n; v++ {
			assert.LessOrEqual(t, duty[v], 3-n%2, "tree of %d: sets of leaf %d", n, v)
		}
		assert.Equal(t, n, duty[0], "tree of %d: sets of the root", n)
	}
}
