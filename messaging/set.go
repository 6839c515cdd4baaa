package messaging

import (
	"iter"
	"math/bits"
)

// A Set is a set of nodes. The zero Set is empty; clear(s) empties s, and
// slices.Clone(s) copies it. A Set takes one bit for each number up to the largest that
// was ever in it.
type Set []uint64

// SetOf returns the set of the given nodes.
func SetOf(ids ...ID) Set {
	var s Set
	for _, id := range ids {
		s.Add(id)
	}
	return s
}

// Add adds id. It panics if id is negative.
func (s *Set) Add(id ID) {
	w := int(id >> 6)
	for len(*s) <= w {
		*s = append(*s, 0)
	}
	(*s)[w] |= 1 << (id & 63)
}

// Remove removes id, if it is in the set.
func (s Set) Remove(id ID) {
	if w := int(id >> 6); w < len(s) {
		s[w] &^= 1 << (id & 63)
	}
}

// Has reports whether id is in the set.
func (s Set) Has(id ID) bool {
	w := int(id >> 6)
	return w < len(s) && s[w]&(1<<(id&63)) != 0
}

// Len returns the number of nodes in the set.
func (s Set) Len() int {
	n := 0
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// All yields the nodes in ascending order. The loop may add and remove nodes; it sees
// such a change only for nodes in a later block of 64 than the current one.
func (s Set) All() iter.Seq[ID] {
	return func(yield func(ID) bool) {
		for k, w := range s {
			for ; w != 0; w &= w - 1 {
				if !yield(ID(k<<6 + bits.TrailingZeros64(w))) {
					return
				}
			}
		}
	}
}
