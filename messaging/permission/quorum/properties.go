package quorum

import (
	"fmt"
	"slices"
	"strings"

	"example.org/doorway/messaging"
)

// Properties are the properties of a System that Maekawa requires. Any two sets of
// every System intersect.
type Properties struct {
	// Common is the number of members that two sets have in common (0 for one node),
	// Size the number of members of a set (Maekawa's K, if all are equal), and Duty
	// the number of sets that a node is in. Each has its least and most value, and the
	// first node, or pair of nodes, with that value.
	Common, Size, Duty struct {
		Least, Most     int
		LeastOf, MostOf []messaging.ID
	}

	// Strangers are the nodes that are not in their own sets.
	Strangers []messaging.ID

	// Balanced reports whether all four properties hold. (If all sets have K members
	// and all nodes are in the same number of sets, then that number is K too.)
	Balanced bool

	// Perfect reports whether the sets are a projective plane, including the triangle
	// of three nodes and the single node: all four properties hold, and any two sets
	// have exactly one member in common.
	Perfect bool
}

// A spread is the least and the most of some numbers, and the nodes that have them.
type spread struct {
	Least, Most     int
	LeastOf, MostOf []messaging.ID
}

// even reports whether all numbers are equal.
func (s spread) even() bool { return s.Least == s.Most }

// Properties computes the properties of the system.
func (s System) Properties() Properties {
	p := s.loads()
	for i := range s.sets {
		for j := range i {
			(*spread)(&p.Common).count(common(s.sets[i], s.sets[j]), messaging.ID(j), messaging.ID(i))
		}
	}
	p.Balanced = len(p.Strangers) == 0 && spread(p.Size).even() && spread(p.Duty).even()
	p.Perfect = p.Balanced && p.Common.Most <= 1
	return p
}

// loads computes only Size, Duty and Strangers, since Common takes longest.
func (s System) loads() Properties {
	var p Properties
	duty := make([]int, s.Nodes())
	for i, set := range s.sets {
		self := messaging.ID(i)
		(*spread)(&p.Size).count(set.Len(), self)
		for m := range set.All() {
			duty[m]++
		}
		if !set.Has(self) {
			p.Strangers = append(p.Strangers, self)
		}
	}
	for i, n := range duty {
		(*spread)(&p.Duty).count(n, messaging.ID(i))
	}
	return p
}

func (s *spread) count(n int, nodes ...messaging.ID) {
	if s.LeastOf == nil || n < s.Least {
		s.Least, s.LeastOf = n, slices.Clone(nodes) // so that nodes does not escape
	}
	if s.MostOf == nil || n > s.Most {
		s.Most, s.MostOf = n, slices.Clone(nodes)
	}
}

// String returns the properties in four lines, with a witness for each property that
// does not hold.
func (p Properties) String() string {
	lines := []string{
		"in common to two sets: " + spread(p.Common).text(),
		"node in its own set:   all",
		"members of a set:      " + spread(p.Size).text(),
		"sets of a member:      " + spread(p.Duty).text(),
	}
	if n := len(p.Strangers); n > 0 {
		lines[1] = fmt.Sprintf("node in its own set:   all but %d, the first of them %d", n, p.Strangers[0])
	}
	return strings.Join(lines, "\n")
}

// text returns "4", or "3 (node 6) to 5 (node 0)".
func (s spread) text() string {
	if s.even() {
		return fmt.Sprint(s.Most)
	}
	return fmt.Sprintf("%d (%s) to %d (%s)", s.Least, whose(s.LeastOf), s.Most, whose(s.MostOf))
}

func whose(nodes []messaging.ID) string {
	if len(nodes) == 2 {
		return fmt.Sprintf("nodes %d and %d", nodes[0], nodes[1])
	}
	return fmt.Sprintf("node %d", nodes[0])
}
