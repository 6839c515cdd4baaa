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
	return slices.Sorted(maps.Keys(sets))
}

// Sets returns the sets of that name for n nodes: those that each node asks, and those that
// it informs, or nil for those that it asks. It returns an error if there are none for n
// nodes, and nil if there is no such name.
func Sets(name string, n int) (request, inform [][]messaging.ID, err error) {
	build, known := sets[name]
	if !known {
		return nil, nil, nil
	}
	return build(n)
}

type builder = func(n int) (request, inform [][]messaging.ID, err error)

var sets = map[string]builder{
	"plane": system(quorum.Plane), "folded": system(quorum.Folded), "grid": system(quorum.Grid), "majority": system(quorum.Majority), "tree": system(quorum.Tree),

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
