// Package requests has the queue in which nodes keep the requests that wait.
package requests

import (
	"cmp"
	"slices"

	"example.org/doorway/messaging"
)

// A Queue has the stamps of requests, the oldest first. The zero value is empty. It
// is plain data, and may be part of a node's state.
type Queue []messaging.Stamp

// Insert adds r at its place, and reports whether it was not there already.
func (q *Queue) Insert(r messaging.Stamp) bool {
	i, found := slices.BinarySearchFunc(*q, r, compare)
	if !found {
		*q = slices.Insert(*q, i, r)
	}
	return !found
}

// Remove removes r, and reports whether it was there.
func (q *Queue) Remove(r messaging.Stamp) bool {
	i, found := slices.BinarySearchFunc(*q, r, compare)
	if found {
		*q = slices.Delete(*q, i, i+1)
	}
	return found
}

// First returns the oldest; the zero Stamp if there is none.
func (q Queue) First() messaging.Stamp {
	if len(q) == 0 {
		return messaging.Stamp{}
	}
	return q[0]
}

// Pop removes and returns the oldest; the zero Stamp if there is none.
func (q *Queue) Pop() messaging.Stamp {
	first := q.First()
	if len(*q) > 0 {
		*q = slices.Delete(*q, 0, 1)
	}
	return first
}

// Has reports whether r is there.
func (q Queue) Has(r messaging.Stamp) bool {
	_, found := slices.BinarySearchFunc(q, r, compare)
	return found
}

// compare is the order of stamps, for a search.
func compare(r, s messaging.Stamp) int {
	return cmp.Or(cmp.Compare(r.Time, s.Time), cmp.Compare(r.ID, s.ID))
}
