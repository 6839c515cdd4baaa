package quorum

import (
	"fmt"
	"slices"

	"example.org/doorway/messaging"
)

// Plane returns the lines of a projective plane with that number of points: all four of
// Maekawa's properties hold, and any two sets have exactly one member in common. A plane
// of order k has k(k+1)+1 nodes and sets of K = k+1 members. The orders are the powers of
// primes, 1 with three nodes (a triangle, not a plane in geometry), and 0 with one
// node. For other numbers of nodes Plane returns an error. There is no plane of order
// 6 (Tarry 1901) or 10 (Lam, Thiel and Swiercz 1989); whether one of order 12 exists is
// an open problem.
//
// The construction is that of J. Singer, "A theorem in finite projective geometry and
// some applications to number theory", Transactions of the American Mathematical
// Society 43, 1938, 377-385: there is one set D that contains 0, and S_i = i + D,
// modulo the number of nodes. So the system looks the same from every node.
func Plane(nodes int) (System, error) {
	if err := countable(nodes); err != nil {
		return System{}, err
	}
	k := orderFor(nodes)
	if points(k) != nodes {
		return System{}, fmt.Errorf("quorum: no projective plane of %d points is known: the numbers are k(k+1)+1, "+
			"with k a power of a prime; the next is %d", nodes, points(k))
	}
	return build(fmt.Sprintf("plane of order %d", k), nodes, plane(k))
}

// Folded returns sets for any number of nodes: the lines of the smallest [Plane] that
// has enough points, without the lines of its surplus points. In the remaining lines a
// node substitutes for each surplus point, the same one in all of them: two lines that
// met in the point meet in the substitute, and no set has more members than the plane's.
// Substitutes are in more sets than other nodes. It returns an error unless
// 1 <= nodes <= 1<<20.
//
// Reiser 2002, slide 5.13, says that for other numbers of nodes than a plane's the
// conditions must be relaxed; Folded relaxes only the last two.
func Folded(nodes int) (System, error) {
	if err := countable(nodes); err != nil {
		return System{}, err
	}
	k := orderFor(nodes)
	line := plane(k)
	standsIn := func(point messaging.ID) messaging.ID { return point % messaging.ID(nodes) }
	return build(fmt.Sprintf("folded plane of order %d", k), nodes, func(i int) []messaging.ID {
		var set messaging.Set
		for _, point := range line(i) {
			set.Add(standsIn(point))
		}
		return slices.Collect(set.All())
	})
}

// points returns the number of points and of lines of a plane of order k.
func points(k int) int { return k*(k+1) + 1 }

// orderFor returns the order of the smallest plane with at least that many points.
func orderFor(nodes int) int {
	k := 0
	for points(k) < nodes || !isOrder(k) {
		k++
	}
	return k
}

// isOrder reports whether a plane of order k can be built here.
func isOrder(k int) bool {
	if k <= 1 {
		return true
	}
	_, _, ok := primePower(k)
	return ok
}

// plane returns the lines of the plane of order k: line i has the points i + d
// for each d in a difference set.
func plane(k int) func(i int) []messaging.ID {
	d := differences(k)
	return func(i int) []messaging.ID {
		line := make([]messaging.ID, len(d))
		for l := range d {
			line[l] = messaging.ID((i + d[l]) % points(k))
		}
		return line
	}
}

// differences returns k+1 numbers, including 0, such that modulo points(k) every number
// from 1 to points(k)-1 is the difference of exactly one pair of them. So two sets of
// the plane that differ by i, i + D and D, have exactly one number in common.
//
// The points of the plane are the nonzero elements of GF(k³), where two are the same
// point if their quotient is in GF(k), which is if their logarithms to the base x, a
// generator, are equal modulo points(k). The line through 1 and x has the points 1 and
// x + c, for each c of GF(k). Multiplication by x maps lines to lines and adds 1 to the
// logarithms.
func differences(k int) []int {
	if k <= 1 {
		return []int{0, 1}[:k+1]
	}
	p, m, _ := primePower(k)
	f := newField(p, 3*m)
	d := []int{0, 1} // the logarithms of 1, and of x + 0
	for l := 0; l < f.size-1; l += points(k) {
		c := f.power[l] // the powers of x^points(k) are the nonzero elements of GF(k)
		d = append(d, f.logarithm[f.add(f.x(), c)]%points(k))
	}
	return d
}
