package quorum

import (
	"math/bits"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
)

// builders are all constructions, and sets that have no rule of their own.
var builders = map[string]func(int) (System, error){
	"Plane": Plane, "Folded": Folded, "Grid": Grid, "Majority": Majority, "Tree": Tree, "wheel": wheel,
}

// wheel returns sets of a hub, node 0, and one other node each; the hub itself asks all others.
func wheel(n int) (System, error) {
	sets := make([][]messaging.ID, n)
	for i := messaging.ID(1); int(i) < n; i++ {
		sets[i] = []messaging.ID{0, i}
		sets[0] = append(sets[0], i)
	}
	return Sets(sets)
}

// downSets yields each set of nodes that may be down, as bits.
func downSets(n int) []messaging.Set {
	all := make([]messaging.Set, 1<<n)
	for d := range all {
		all[d] = messaging.Set{uint64(d)}
	}
	return all
}

// bitsOf returns the set as bits, of fewer than 64 nodes.
func bitsOf(ids []messaging.ID) (b uint64) {
	for _, i := range ids {
		b |= 1 << i
	}
	return b
}

// Whatever two nodes take to be down, their quorums intersect, and there is one whenever one
// of all these quorums is up, whichever node asks.
func TestWithout(t *testing.T) {
	for name, build := range builders {
		for n := 1; n <= tier.Pick(9, 13); n++ {
			s, err := build(n)
			if err != nil {
				continue
			}
			all := map[uint64]bool{}
			var ups []bool // by set of nodes that are down, whether there is a quorum
			for d, down := range downSets(n) {
				for i := range messaging.ID(n) {
					members, ok := s.Without(i, down)
					if ok != (len(members) > 0) || i > 0 && ok != ups[d] {
						t.Fatalf("%s(%d): %d without %v: %v, %t", name, n, i, slices.Collect(down.All()), members, ok)
					}
					if i == 0 {
						ups = append(ups, ok)
					}
					q := bitsOf(members)
					if q&uint64(d) != 0 || bits.OnesCount64(q) != len(members) || !slices.IsSorted(members) || q>>n != 0 {
						t.Fatalf("%s(%d): %d without %v: %v", name, n, i, slices.Collect(down.All()), members)
					}
					if bitsOf(s.Of(i))&uint64(d) == 0 {
						require.Equal(t, s.Of(i), members, "%s(%d): %d without %v", name, n, i, down)
					}
					if ok {
						all[q] = true
					}
				}
			}
			for q := range all {
				for r := range all {
					require.NotZero(t, q&r, "%s(%d): quorums %b and %b", name, n, q, r)
				}
			}
			for d, ok := range ups {
				up := false
				for q := range all {
					up = up || q&uint64(d) == 0
				}
				require.Equal(t, up, ok, "%s(%d): a quorum without %b", name, n, d)
			}
		}
	}
}

// The result is the caller's.
func TestWithoutIsTheCallers(t *testing.T) {
	for name, build := range builders {
		s, err := build(7)
		require.NoError(t, err)
		for _, down := range []messaging.Set{nil, messaging.SetOf(1)} {
			got, _ := s.Without(2, down)
			want := slices.Clone(got)
			clear(got)
			again, _ := s.Without(2, down)
			assert.Equal(t, want, again, name)
		}
	}
}

// few returns how many nodes must be down at least for no quorum to be left, and how many can
// be at most for one to be left, and the number of members of the smallest and the largest
// quorum that any node gets.
func few(s System) (fatal, most, smallest, largest int) {
	fatal, smallest = s.Nodes()+1, s.Nodes()
	for d, down := range downSets(s.Nodes()) {
		n := bits.OnesCount64(uint64(d))
		members, ok := s.Without(0, down)
		if !ok {
			fatal = min(fatal, n)
			continue
		}
		most = max(most, n)
		smallest, largest = min(smallest, len(members)), max(largest, len(members))
	}
	return fatal, most, smallest, largest
}

// What the comments claim of crashes: a grid has a quorum if fewer nodes than its rows or
// columns are down, a plane if fewer than a line has, a majority if fewer than half are, a
// tree if fewer than a path has; and the largest quorum of a tree is all its leaves. In grids and
// majorities, all nodes have as much to do.
func TestHowManyMayBeDown(t *testing.T) {
	for h := 1; h <= 4; h++ {
		s, err := Tree(1<<h - 1)
		require.NoError(t, err)
		fatal, most, smallest, largest := few(s)
		assert.Equal(t, []int{h, 1<<h - 1 - h, h, 1 << (h - 1)}, []int{fatal, most, smallest, largest}, "%v", s)
	}
	for n := 1; n <= 13; n++ {
		s, err := Majority(n)
		require.NoError(t, err)
		fatal, most, smallest, largest := few(s)
		assert.Equal(t, []int{(n + 1) / 2, (n+1)/2 - 1, n/2 + 1, n/2 + 1}, []int{fatal, most, smallest, largest}, "%v", s)
		assert.True(t, s.Properties().Balanced, "%v", s)
	}
	for w := 2; w <= tier.Pick(3, 4); w++ {
		s, err := Grid(w * w)
		require.NoError(t, err)
		fatal, most, smallest, largest := few(s)
		assert.Equal(t, []int{w, w*w - (2*w - 1), 2*w - 1, 2*w - 1}, []int{fatal, most, smallest, largest}, "%v", s)
		assert.True(t, s.Properties().Balanced, "%v", s)
	}
	for _, k := range []int{1, 2, 3} {
		s, err := Plane(points(k))
		require.NoError(t, err)
		fatal, most, smallest, largest := few(s)
		assert.Equal(t, []int{k + 1, points(k) - (k + 1), k + 1, k + 1}, []int{fatal, most, smallest, largest}, "%v", s)
	}
}

// Of the sets of other nodes, the cheapest is taken: the next one that contains the node. A node of a
// grid keeps its row, or its column, if only the other has a node that is down. In a tree, two paths
// substitute for a node; an only child does by itself.
func TestWithoutTakesTheCheapestSet(t *testing.T) {
	made := func(s System, err error) System { return must(t, s, err) }
	plane, hub, grid, tree, two := made(Plane(7)), made(wheel(5)), made(Grid(9)), made(Tree(15)), made(Tree(2))
	type ids = []messaging.ID
	for _, c := range []struct {
		s    System
		i    messaging.ID
		down ids
		want ids
	}{
		{plane, 0, ids{3}, ids{0, 4, 5}},
		{plane, 0, ids{3, 4}, ids{0, 2, 6}},
		{plane, 5, ids{1}, ids{2, 3, 5}},       // 6 is next, but not with 5
		{plane, 0, ids{0}, ids{1, 2, 4}},       // none contains it
		{plane, 0, ids{1, 4, 6}, ids{2, 3, 5}}, // none of those left contains it
		{hub, 0, ids{4}, ids{0, 1}},
		{hub, 2, ids{0}, ids{1, 2, 3, 4}},
		{grid, 4, ids{3}, ids{1, 4, 6, 7, 8}},       // of the row 3 4 5; the next is 6 7 8
		{grid, 4, ids{7}, ids{2, 3, 4, 5, 8}},       // of the column 1 4 7; the next is 2 5 8
		{grid, 4, ids{4}, ids{2, 5, 6, 7, 8}},       // of both
		{grid, 4, ids{3, 7}, ids{0, 1, 2, 5, 8}},    // and another row has one
		{grid, 4, ids{0, 2, 6}, ids{1, 3, 4, 5, 7}}, // of neither
		{grid, 4, ids{0, 4, 8}, nil},
		{grid, 4, ids{0, 3, 6}, nil},
		{grid, 4, ids{0, 1, 2}, nil},
		{tree, 7, ids{2, 4, 8}, ids{0, 1, 3, 7}},
		{tree, 7, ids{1}, ids{0, 3, 4, 7, 10}},
		{tree, 7, ids{0, 1}, ids{2, 3, 4, 6, 7, 10, 14}},
		{tree, 7, ids{7, 8}, ids{0, 1, 4, 10}},
		{tree, 7, ids{3, 7}, ids{0, 1, 4, 10}},
		{tree, 7, ids{1, 7, 8}, ids{0, 2, 6, 14}},
		{tree, 7, ids{0, 1, 3, 7}, nil},
		{two, 0, nil, ids{0, 1}},
		{two, 0, ids{0}, ids{1}},
		{two, 0, ids{1}, nil},
	} {
		got, ok := c.s.Without(c.i, messaging.SetOf(c.down...))
		assert.Equal(t, c.want != nil, ok)
		assert.ElementsMatch(t, c.want, got, "%v: node %d without %v", c.s, c.i, c.down)
	}
}
