package quorum

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
)

func sevenNodes() [][]messaging.ID {
	return [][]messaging.ID{{0, 1, 2}, {1, 3, 5}, {2, 4, 5}, {0, 3, 4}, {1, 4, 6}, {0, 5, 6}, {2, 3, 6}}
}

func must(t *testing.T, s System, err error) System {
	t.Helper()
	require.NoError(t, err)
	return s
}

// Every pair of sets is compared member by member, not by bits.
func TestEverySystemIntersects(t *testing.T) {
	for n := 1; n <= tier.Pick(40, 60); n++ {
		for name, build := range map[string]func(int) (System, error){
			"New": New, "Folded": Folded, "Grid": Grid, "Majority": Majority, "Tree": Tree,
		} {
			s, err := build(n)
			must(t, s, err)
			require.Equal(t, n, s.Nodes(), "%s(%d)", name, n)
			for i := range messaging.ID(n) {
				for j := range i {
					if !shareMember(s.Of(i), s.Of(j)) {
						t.Errorf("%s(%d): %d asks %v, and %d asks %v", name, n, i, s.Of(i), j, s.Of(j))
					}
				}
			}
			assert.Empty(t, s.Properties().Strangers, "%s(%d): nodes that are not in their own sets", name, n)
		}
	}
}

func shareMember(a, b []messaging.ID) bool {
	return slices.ContainsFunc(a, func(x messaging.ID) bool { return slices.Contains(b, x) })
}

func TestPlanes(t *testing.T) {
	orders := []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19, 23, 25, 27, 29, 31}
	for n, next := 1, 0; n <= 900; n++ {
		k := orders[next]
		s, err := Plane(n)
		if n != k*(k+1)+1 {
			assert.Error(t, err, "a plane of %d points", n)
			continue
		}
		next++
		p := must(t, s, err).Properties()
		if !p.Perfect || p.Size.Most != k+1 || p.Duty.Most != k+1 || (n > 1 && p.Common.Least != 1) {
			t.Errorf("order %d:\n%v", k, p)
		}
		if distance := float64(k+1) - math.Sqrt(float64(n)); distance < 0 || distance > 1 {
			t.Errorf("order %d: sets have %d members, and √N is %f less", k, k+1, distance)
		}
	}
}

func TestFoldedSetsHaveAtMostThePlanesMembers(t *testing.T) {
	for n := 1; n <= tier.Pick(60, 200); n++ {
		s, err := Folded(n)
		if p, k := must(t, s, err).Properties(), orderFor(n); p.Size.Most > k+1 {
			t.Errorf("%d nodes: sets of %v, but the plane's have %d", n, p.Size, k+1)
		}
	}
}

func TestNewIsTheSmallest(t *testing.T) {
	for n := 1; n <= 133; n++ {
		s, err := New(n)
		most := must(t, s, err).Properties().Size.Most
		for _, build := range []func(int) (System, error){Plane, Folded, Grid, Majority} {
			if other, err := build(n); err == nil && other.Properties().Size.Most < most {
				t.Errorf("%d nodes: %v has sets of %d, but %v smaller ones", n, s, most, other)
			}
		}
		if _, err := Plane(n); err == nil && !s.Properties().Perfect {
			t.Errorf("%d nodes: there is a plane, but New is %v", n, s)
		}
	}
}

func TestSetsRefuses(t *testing.T) {
	for want, sets := range map[string][][]messaging.ID{
		"quorum: 0 nodes: there must be at least 1":                                         {},
		"quorum: the set of node 1: it is empty: no node would stop this one from entering": {{0}, {}},
		"quorum: the set of node 1: member 2: the nodes are 0 to 1":                         {{0}, {0, 2}},
		"quorum: the set of node 0: member -1: the nodes are 0 to 1":                        {{-1, 0}, {0}},
		"quorum: the set of node 2: member 0 occurs twice":                                  {{0}, {0}, {0, 1, 0}},
		"quorum: the sets of nodes 1 and 2 have no member in common: [0 1] and [2]":         {{1, 2}, {1, 0}, {2}},
	} {
		_, err := Sets(sets)
		assert.EqualError(t, err, want, "Sets(%v)", sets)
	}
	for _, build := range []func(int) (System, error){New, Plane, Folded, Grid, Majority, Tree} {
		for _, n := range []int{0, -1} {
			_, err := build(n)
			assert.Error(t, err, "a system of %d nodes", n)
		}
	}
	_, err := Plane(14)
	assert.ErrorContains(t, err, "the next is 21")
}

// Each property is violated by itself, and its witness is reported.
func TestPropertiesNameWhoBreaksThem(t *testing.T) {
	for _, c := range []struct {
		sets [][]messaging.ID
		want string
	}{
		{[][]messaging.ID{{1, 2}, {0, 2}, {0, 1}}, `
in common to two sets: 1
node in its own set:   all but 3, the first of them 0
members of a set:      2
sets of a member:      2`},
		{[][]messaging.ID{{0, 1, 2}, {0, 1}, {1, 2}}, `
in common to two sets: 1 (nodes 1 and 2) to 2 (nodes 0 and 1)
node in its own set:   all
members of a set:      2 (node 1) to 3 (node 0)
sets of a member:      2 (node 0) to 3 (node 1)`},
		{[][]messaging.ID{{0, 1}, {1, 2}, {1, 2}}, `
in common to two sets: 1 (nodes 0 and 1) to 2 (nodes 1 and 2)
node in its own set:   all
members of a set:      2
sets of a member:      1 (node 0) to 3 (node 1)`},
	} {
		s, err := Sets(c.sets)
		p := must(t, s, err).Properties()
		assert.Equal(t, c.want, "\n"+p.String(), "%v", c.sets)
		assert.False(t, p.Balanced, "%v is balanced", c.sets)
		assert.False(t, p.Perfect, "%v is perfect", c.sets)
	}
}

func TestSystemsDoNotChange(t *testing.T) {
	sets := sevenNodes()
	s, err := Sets(sets)
	must(t, s, err)
	before := s.Of(0)
	sets[0][0] = 5
	s.Of(0)[1] = 6
	assert.Equal(t, before, s.Of(0), "the set of node 0")
	assert.Equal(t, sevenNodes()[0], before)
}

func TestOfPanics(t *testing.T) {
	s, err := Plane(7)
	require.NoError(t, err)
	assert.PanicsWithValue(t, "quorum: the set of node 7: the nodes are 0 to 6", func() { s.Of(7) })
	assert.PanicsWithValue(t, "quorum: the set of node 7: the nodes are 0 to 6", func() { s.Without(7, nil) })
}

func TestZeroSystem(t *testing.T) {
	assert.Zero(t, System{}.Nodes())
	assert.Equal(t, "no quorums", System{}.String())
}

func TestTooManyNodes(t *testing.T) {
	for name, of := range map[string]func(int) (System, error){
		"New": New, "Folded": Folded, "Plane": Plane, "Grid": Grid, "Majority": Majority, "Tree": Tree,
	} {
		_, err := of(math.MaxInt)
		assert.ErrorContains(t, err, "nodes: there can be at most 1048576", name)
	}
}

// Small sets of many nodes are followed by their members, not compared pair by pair; what is
// found is the same.
func TestSmallSetsThatDoNotMeet(t *testing.T) {
	plane, err := Plane(307)
	require.NoError(t, err)
	sets := make([][]messaging.ID, plane.Nodes())
	for i := range sets {
		sets[i] = plane.Of(messaging.ID(i))
	}
	_, err = Sets(sets)
	require.NoError(t, err)

	// All but one of the sets that met the last one in a member meet it in another.
	const last = 306
	gone, lonely := sets[last][0], -1
	sets[last] = sets[last][1:]
	for j, set := range sets[:last] {
		switch {
		case !slices.Contains(set, gone):
		case lonely < 0:
			lonely = j
		default:
			k := slices.IndexFunc(set, func(m messaging.ID) bool { return m != gone && !slices.Contains(sets[lonely], m) })
			sets[last] = append(sets[last], set[k])
		}
	}
	_, err = Sets(sets)
	assert.ErrorContains(t, err, fmt.Sprintf("the sets of nodes %d and %d have no member in common", lonely, last))
}
