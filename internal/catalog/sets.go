package catalog

import (
	"fmt"
	"maps"
	"slices"

	"example.org/doorway/internal/lecture"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/quorum"
)

// SetNames returns the names that [Sets] knows.
func SetNames() []string {
	names := slices.AppendSeq(slices.Collect(maps.Keys(systems)), maps.Keys(sets))
	slices.Sort(names)
	return names
}

// Sets returns the sets of that name for n nodes: those that each node asks, and those that
// it informs, or nil for those that it asks. It returns an error if there are none for n
// nodes, and nil if there is no such name.
func Sets(name string, n int) (request, inform [][]messaging.ID, err error) {
	if build, known := systems[name]; known {
		return system(build)(n)
	}
	if build, known := sets[name]; known {
		return build(n)
	}
	return nil, nil, nil
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
}

type builder = func(n int) (request, inform [][]messaging.ID, err error)

var sets = map[string]builder{
	"reiser-13": system(func(n int) (quorum.System, error) { return lecture.Reiser(), forNodes(13, n) }),

	// Reiser 2002, slides 5.29 and 5.30.
	"reiser-4": printedSets([][]messaging.ID{{1, 2}, {1, 2}, {1, 2, 3}, {1, 2, 4}}, [][]messaging.ID{{1}, {2}, {1, 2, 3}, {1, 2, 4}}),
}

// system returns the sets of a quorum system.
func system(build func(n int) (quorum.System, error)) builder {
	return func(n int) (request, inform [][]messaging.ID, err error) {
		s, err := build(n)
		if err != nil {
			return nil, nil, err
		}
		for i := range messaging.ID(n) {
			request = append(request, s.Of(i))
		}
		return request, nil, nil
	}
}

// printedSets returns sets as a lecture prints them, in which the first node is 1.
func printedSets(request, inform [][]messaging.ID) builder {
	return func(n int) (_, _ [][]messaging.ID, err error) {
		return fromZero(request), fromZero(inform), forNodes(len(request), n)
	}
}

// forNodes returns an error if sets for that number of nodes are to be those of n.
func forNodes(nodes, n int) error {
	if nodes != n {
		return fmt.Errorf("these sets are for %d nodes, not %d", nodes, n)
	}
	return nil
}

// fromZero returns the sets with numbers from 0.
func fromZero(sets [][]messaging.ID) (all [][]messaging.ID) {
	for _, set := range sets {
		var ids []messaging.ID
		for _, i := range set {
			ids = append(ids, i-1)
		}
		all = append(all, ids)
	}
	return all
}
