package catalog

import (
	"fmt"
	"maps"
	"slices"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/quorum"
	"example.org/doorway/messaging/permission/sanders"
)

// reiser4 names the structure of Reiser 2002, slides 5.29 and 5.30.
const reiser4 = "reiser-4"

// SetNames returns the names that [Sets] knows.
func SetNames() []string {
	return slices.Sorted(slices.Values(append(slices.Collect(maps.Keys(systems)), reiser4)))
}

// Sets returns the sets of that name for n nodes: those that each node asks, and those that
// it informs, or nil for those that it asks. It returns an error if there are none for n
// nodes, and nil if there is no such name.
func Sets(name string, n int) (request, inform [][]messaging.ID, err error) {
	if name == reiser4 {
		four := sanders.FourNodes()
		return four.Request, four.Inform, forNodes(four.Nodes(), n)
	}
	s, known, err := Quorums(name, n)
	if err != nil || !known {
		return nil, nil, err
	}
	return setsOf(s), nil, nil
}

// Quorums returns the quorum system of that name for n nodes, which also has quorums without
// crashed nodes; known reports whether the name is that of one, or of other sets or none.
func Quorums(name string, n int) (s quorum.System, known bool, err error) {
	build, known := systems[name]
	if !known {
		return quorum.System{}, false, nil
	}
	s, err = build(n)
	return s, true, err
}

var systems = map[string]func(int) (quorum.System, error){
	"plane": quorum.Plane, "folded": quorum.Folded, "grid": quorum.Grid, "majority": quorum.Majority, "tree": quorum.Tree,
	"reiser-13": func(n int) (quorum.System, error) { return Reiser13, forNodes(Reiser13.Nodes(), n) },
}

// Reiser13 has the 13 sets of the example of Maekawa's algorithm in Reiser 2002,
// slide 5.18: a projective plane of order 3, like quorum.Plane(13), but with the
// numbering of the lecture, except that nodes are numbered from 0 here and from 1
// there.
var Reiser13 = must(quorum.Sets([][]messaging.ID{
	{0, 1, 2, 3},
	{1, 4, 7, 10},
	{2, 5, 7, 12},
	{3, 5, 9, 10},
	{0, 4, 5, 6},
	{1, 5, 8, 11},
	{1, 6, 9, 12},
	{0, 7, 8, 9},
	{2, 6, 8, 10},
	{2, 4, 9, 11},
	{0, 10, 11, 12},
	{3, 6, 7, 11},
	{3, 4, 8, 12},
}))

// setsOf returns the quorum of each node.
func setsOf(s quorum.System) [][]messaging.ID {
	sets := make([][]messaging.ID, s.Nodes())
	for i := range sets {
		sets[i] = s.Of(messaging.ID(i))
	}
	return sets
}

// forNodes returns an error if sets for that number of nodes are to be those of n.
func forNodes(nodes, n int) error {
	if nodes != n {
		return fmt.Errorf("these sets are for %d nodes, not %d", nodes, n)
	}
	return nil
}
