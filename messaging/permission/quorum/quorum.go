// Package quorum builds systems of quorums: for each node the set of nodes that
// it must ask, such that any two of the sets have a member in common.
//
// # Source
//
// M. Maekawa, "A √N algorithm for mutual exclusion in decentralized systems",
// ACM Transactions on Computer Systems 3(2), 1985, 145-159, which wants four
// things of the sets S_i:
//
//	S_i and S_j have a member in common    else two could enter at a time
//	i is in S_i                            which saves messages
//	every S_i has K members                so that all take the same trouble
//	every node is in K of the sets         so that all have the same work
//
// If any two sets have just one member in common, then N = K(K-1)+1, and K is
// close to √N: no sets can be smaller. That is a finite projective plane, whose
// points are the nodes and whose lines are the sets. Planes are known for each
// order K-1 that is a power of a prime. (Reiser 2002, slide 5.13, prints this as
// n = p^n(p^n+1)+1, where the n on the left is the number of nodes and the others
// are any exponent.)
//
// # Choice
//
//	Plane     all four properties; only for 1, 3, 7, 13, 21, 31, 57, 73, 91, 133 ... nodes
//	Folded    any number of nodes: a larger plane whose surplus points nodes stand in for
//	Grid      any number of nodes: row and column of a square, about 2√N members
//	Majority  any number of nodes: N/2 + 1 members; all four properties
//	New       the one of these with the smallest sets
//	Sets      sets of your own
//
// Whatever builds it, there is no System two sets of which have no member in
// common: each pair is checked when it is built. [System.Properties] says how far
// it has the other properties, and who breaks them.
package quorum

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	"example.org/doorway/messaging"
)

// A System is a set of nodes for each node, any two of which have a member in
// common. It never changes. The zero System is for no nodes.
type System struct {
	name string
	sets []messaging.Set
}

// New returns the smallest sets that this package can build for so many nodes:
// of [Plane], [Folded], [Grid] and [Majority] the one whose largest set is
// smallest; among those, the one whose busiest node is in the fewest sets. It
// returns an error if nodes < 1. Each pair of sets is compared, which takes time that
// grows with the third power of the nodes: it is for thousands of them, not more.
func New(nodes int) (System, error) {
	if err := countable(nodes); err != nil {
		return System{}, err
	}
	var all []System
	for _, build := range []func(int) (System, error){Plane, Majority, Grid, Folded} {
		if s, err := build(nodes); err == nil { // there are not planes for all
			all = append(all, s)
		}
	}
	return slices.MinFunc(all, func(s, t System) int {
		p, q := s.loads(), t.loads()
		return cmp.Or(cmp.Compare(p.Size.Most, q.Size.Most), cmp.Compare(p.Duty.Most, q.Duty.Most))
	}), nil
}

// Sets returns the system in which node i asks the nodes sets[i]. It returns an
// error if there is no set, if one of them is empty, has a member that is not
// among the nodes 0 to len(sets)-1, or has one twice; and if two sets have no
// member in common. That i is in sets[i] is not required.
func Sets(sets [][]messaging.ID) (System, error) {
	s := System{name: "sets"}
	if err := countable(len(sets)); err != nil {
		return System{}, err
	}
	for i, members := range sets {
		set, err := setOf(members, len(sets))
		if err != nil {
			return System{}, fmt.Errorf("quorum: the set of node %d: %w", i, err)
		}
		s.sets = append(s.sets, set)
	}
	if i, j, found := s.disjoint(); found {
		return System{}, fmt.Errorf("quorum: the sets of nodes %d and %d have no member in common: %v and %v",
			i, j, s.Of(i), s.Of(j))
	}
	return s, nil
}

func countable(nodes int) error {
	if nodes < 1 {
		return fmt.Errorf("quorum: %d nodes: there must be at least 1", nodes)
	}
	if nodes > most {
		return fmt.Errorf("quorum: %d nodes: there can be at most %d", nodes, most)
	}
	return nil
}

// most is how many nodes a cluster can have.
const most = 1 << 20

func setOf(members []messaging.ID, nodes int) (messaging.Set, error) {
	var set messaging.Set
	for _, m := range members {
		switch {
		case m < 0 || int(m) >= nodes:
			return nil, fmt.Errorf("member %d: the nodes are 0 to %d", m, nodes-1)
		case set.Has(m):
			return nil, fmt.Errorf("member %d is there twice", m)
		}
		set.Add(m)
	}
	if set.Len() == 0 {
		return nil, fmt.Errorf("it is empty, and nobody would stop the node from entering")
	}
	return set, nil
}

// disjoint returns the first two nodes whose sets have no member in common.
func (s System) disjoint() (i, j messaging.ID, found bool) {
	for i := range s.sets {
		for j := range i {
			if !meet(s.sets[i], s.sets[j]) {
				return messaging.ID(j), messaging.ID(i), true
			}
		}
	}
	return 0, 0, false
}

// meet reports whether two sets have a member in common.
func meet(a, b messaging.Set) bool {
	for k := range min(len(a), len(b)) {
		if a[k]&b[k] != 0 {
			return true
		}
	}
	return false
}

// common returns how many members two sets have in common.
func common(a, b messaging.Set) int {
	n := 0
	for k := range min(len(a), len(b)) {
		n += bits.OnesCount64(a[k] & b[k])
	}
	return n
}

// Nodes returns the number of nodes.
func (s System) Nodes() int { return len(s.sets) }

// Of returns the nodes that node i asks, in ascending order. The slice is the
// caller's. It panics unless 0 <= i < s.Nodes().
func (s System) Of(i messaging.ID) []messaging.ID {
	if i < 0 || int(i) >= len(s.sets) {
		panic(fmt.Sprintf("quorum: the set of node %d: the nodes are 0 to %d", i, len(s.sets)-1))
	}
	return slices.AppendSeq(make([]messaging.ID, 0, s.sets[i].Len()), s.sets[i].All())
}

// String says what the system is: "plane of order 3, 13 nodes".
func (s System) String() string {
	if s.Nodes() == 0 {
		return "no quorums"
	}
	return fmt.Sprintf("%s, %d nodes", s.name, s.Nodes())
}

// build is Sets for the constructors of this package, whose sets have a member
// in common by construction; if not, there is an error in the construction.
func build(name string, nodes int, set func(i int) []messaging.ID) (System, error) {
	sets := make([][]messaging.ID, nodes)
	for i := range sets {
		sets[i] = set(i)
	}
	s, err := Sets(sets)
	s.name = name
	return s, err
}
