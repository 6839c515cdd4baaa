package quorum

import (
	"fmt"
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

// The example of a tree of 15, with what substitutes for the path 0 1 3 7 of node 7.
func TestTreeSubstitutes(t *testing.T) {
	s, err := Tree(15)
	require.NoError(t, err)
	for _, c := range []struct {
		down messaging.Set
		want string
	}{
		{nil, "[0 1 3 7]"},
		{messaging.SetOf(2, 4, 8), "[0 1 3 7]"},
		{messaging.SetOf(3), "[0 1 7 8]"},
		{messaging.SetOf(1), "[0 3 4 7 10]"},
		{messaging.SetOf(0), "[1 2 3 6 7 14]"},
		{messaging.SetOf(0, 1), "[2 3 4 6 7 10 14]"},
		{messaging.SetOf(0, 1, 2, 3, 4, 5, 6), "[7 8 9 10 11 12 13 14]"},
		{messaging.SetOf(7), "[0 1 3 8]"},
		{messaging.SetOf(7, 8), "[0 1 4 10]"},
		{messaging.SetOf(3, 7), "[0 1 4 10]"},
		{messaging.SetOf(1, 7, 8), "[0 2 6 14]"},
		{messaging.SetOf(0, 1, 7, 8), "[]"},
		{messaging.SetOf(0, 1, 3, 7), "[]"},
	} {
		got, ok := s.Without(7, c.down)
		assert.Equal(t, c.want, fmt.Sprint(got), "without %v", c.down)
		assert.Equal(t, c.want != "[]", ok)
	}
}

// An only child substitutes for its parent by itself.
func TestTreeWithAnOnlyChild(t *testing.T) {
	s, err := Tree(2)
	require.NoError(t, err)
	assert.Equal(t, []messaging.ID{0, 1}, s.Of(0))
	got, _ := s.Without(0, messaging.SetOf(0))
	assert.Equal(t, []messaging.ID{1}, got)
	_, ok := s.Without(0, messaging.SetOf(1))
	assert.False(t, ok)
}
