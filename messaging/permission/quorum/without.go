package quorum

import (
	"slices"

	"example.org/doorway/messaging"
)

// Without returns nodes that node i can ask if the nodes down do not answer, in ascending
// order, none of which is down; ok reports whether there are any. If none of s.Of(i) is
// down, it returns those. The slice is the caller's. It panics unless 0 <= i < s.Nodes().
//
// Any two results intersect, whatever the nodes that ask and whatever each takes to be down.
// So a node that has learned of a crash, and one that has not, exclude each other. Whether
// there is a quorum depends only on down.
//
//	Majority      the next nodes that are up; it needs floor(N/2)+1 of these
//	Grid          a row and a column without a node that is down, its own if possible
//	Tree          the paths that substitute for a path
//	all others    the set of another node; the smallest, without i itself, as that costs
//	              least, and of those the first after i
func (s System) Without(i messaging.ID, down messaging.Set) (members []messaging.ID, ok bool) {
	members = s.Of(i)
	if !meet(s.sets[i], down) {
		return members, true
	}
	if s.without == nil {
		return s.anothers(i, down)
	}
	if members, ok = s.without(i, down); !ok {
		return nil, false
	}
	slices.Sort(members)
	return members, true
}

// anothers returns the set of another node than i.
func (s System) anothers(i messaging.ID, down messaging.Set) ([]messaging.ID, bool) {
	best, fewest := messaging.ID(-1), 0
	for k := 1; k < len(s.sets); k++ {
		j := (i + messaging.ID(k)) % messaging.ID(len(s.sets))
		others := s.sets[j].Len()
		if s.sets[j].Has(i) {
			others--
		}
		if (best < 0 || others < fewest) && !meet(s.sets[j], down) {
			best, fewest = j, others
		}
	}
	if best < 0 {
		return nil, false
	}
	return s.Of(best), true
}
