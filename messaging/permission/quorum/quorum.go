// Package quorum builds quorum systems: for each node the set of nodes that it must
// ask, such that any two of the sets intersect.
//
// # Source
//
// M. Maekawa, "A √N algorithm for mutual exclusion in decentralized systems",
// ACM Transactions on Computer Systems 3(2), 1985, 145-159, which requires four
// properties of the sets S_i:
//
//	S_i and S_j intersect             or two nodes could be inside
//	i is in S_i                       saves messages
//	every S_i has K members           every node needs as many messages
//	every node is in K of the sets    every node answers as many requests
//
// If any two sets have exactly one member in common, then N = K(K-1)+1, and K is close
// to √N, the minimum. Such sets are a finite projective plane, whose points are the
// nodes and whose lines are the sets. Planes are known for each order K-1 that is a
// power of a prime. (Reiser 2002, slide 5.13, prints this as n = p^n(p^n+1)+1, where the n
// on the left is the number of nodes and the others are any exponent.)
//
// # Choice
//
//	Plane     all four properties; only for 1, 3, 7, 13, 21, 31, 57, 73, 91, 133 ... nodes
//	Folded    any number of nodes: a larger plane, with nodes in place of its surplus points
//	Grid      any number of nodes: row and column of a square, about 2√N members
//	Majority  any number of nodes: floor(N/2)+1 members; all four properties
//	New       the one of these with the smallest sets
//	Tree      any number of nodes: a path in a tree, about log2(N) members; the root is in all
//	Sets      sets of your own
//
// Any two sets of a System intersect: the constructors check each pair.
// [System.Properties] reports the other properties, and the nodes that violate them.
//
// # Crashes
//
// [System.Without] returns a quorum without nodes that are down, if there is one. There
// always is while fewer are down than the smallest quorum has members in a plane or a tree, or
// than the grid has rows; in general, while a quorum is up. Of N nodes, so many may be down:
//
//	          members         whichever they are   if they are the right ones
//	Plane     √N, about       √N - 1, about        N - √N, about
//	Grid      2√N-1           √N - 1               N - 2√N + 1
//	Majority  floor(N/2)+1    ceil(N/2) - 1        ceil(N/2) - 1
//	Tree      log2(N+1)       log2(N+1) - 1        N - log2(N+1)
//	          to (N+1)/2
package quorum

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	"example.org/doorway/messaging"
)

// A System is a set of nodes for each node, any two of which intersect. It is
// immutable. The zero System is for no nodes.
type System struct {
	name string
	sets []messaging.Set

	// without is Without of a construction, if one of s.Of(i) is down, in any order; nil: the
	// set of another node.
	without func(i messaging.ID, down messaging.Set) ([]messaging.ID, bool)
}

// New returns the system with the smallest sets that this package can build for that
// number of nodes: of [Plane], [Folded], [Grid] and [Majority] the one whose largest set
// is smallest; among those, the one whose busiest node is in the fewest sets. It
// returns an error unless 1 <= nodes <= 1<<20. That each two sets intersect is checked, so
// time and memory grow with the square of nodes: New is practical for ten thousands of nodes.
func New(nodes int) (System, error) {
	if err := countable(nodes); err != nil {
		return System{}, err
	}
	var all []System
	builders := []func(int) (System, error){Plane, Grid, Folded}
	if nodes < 64 { // else a majority is larger than 2√N-1
		builders = []func(int) (System, error){Plane, Majority, Grid, Folded}
	}
	for _, build := range builders {
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
// error if there is no set, if a set is empty, has a member twice or one that is not
// among the nodes 0 to len(sets)-1, or if two sets have no member in common. Node i need
// not be in sets[i].
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

// most is the maximum number of nodes of a cluster.
const most = 1 << 20

func setOf(members []messaging.ID, nodes int) (messaging.Set, error) {
	var set messaging.Set
	for _, m := range members {
		switch {
		case m < 0 || int(m) >= nodes:
			return nil, fmt.Errorf("member %d: the nodes are 0 to %d", m, nodes-1)
		case set.Has(m):
			return nil, fmt.Errorf("member %d occurs twice", m)
		}
		set.Add(m)
	}
	if set.Len() == 0 {
		return nil, fmt.Errorf("it is empty: no node would stop this one from entering")
	}
	return set, nil
}

// disjoint returns the first two nodes whose sets do not intersect.
func (s System) disjoint() (i, j messaging.ID, found bool) {
	sizes := 0
	for _, set := range s.sets {
		sizes += set.Len()
	}
	if sizes/len(s.sets) > len(s.sets)/16 {
		return s.disjointPair() // large sets meet early
	}
	return s.unmet()
}

// disjointPair compares each pair of sets.
func (s System) disjointPair() (i, j messaging.ID, found bool) {
	for i := range s.sets {
		for j := range i {
			if !meet(s.sets[i], s.sets[j]) {
				return messaging.ID(j), messaging.ID(i), true
			}
		}
	}
	return 0, 0, false
}

// unmet follows each set by its members to the sets that these are in, which are all.
func (s System) unmet() (i, j messaging.ID, found bool) {
	in := make([][]int32, len(s.sets)) // by node, the sets that it is in
	for i, set := range s.sets {
		for m := range set.All() {
			in[m] = append(in[m], int32(i))
		}
	}
	met := make([]int, len(s.sets)) // by set, 1 + the last one that it was found to meet
	for i, set := range s.sets {
		missing := i
		for m := range set.All() {
			for _, j := range in[m] {
				if int(j) < i && met[j] != i+1 {
					met[j] = i + 1
					missing--
				}
			}
		}
		if missing > 0 {
			j := slices.IndexFunc(met[:i], func(last int) bool { return last != i+1 })
			return messaging.ID(j), messaging.ID(i), true
		}
	}
	return 0, 0, false
}

// meet reports whether two sets intersect.
func meet(a, b messaging.Set) bool {
	for k := range min(len(a), len(b)) {
		if a[k]&b[k] != 0 {
			return true
		}
	}
	return false
}

// common returns the number of members that two sets have in common.
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

// String returns a description of the system, such as "plane of order 3, 13 nodes".
func (s System) String() string {
	if s.Nodes() == 0 {
		return "no quorums"
	}
	return fmt.Sprintf("%s, %d nodes", s.name, s.Nodes())
}

// build is Sets for the constructors of this package, whose sets intersect by
// construction; an error means that the construction is wrong.
func build(name string, nodes int, set func(i int) []messaging.ID) (System, error) {
	sets := make([][]messaging.ID, nodes)
	for i := range sets {
		sets[i] = set(i)
	}
	s, err := Sets(sets)
	s.name = name
	return s, err
}
