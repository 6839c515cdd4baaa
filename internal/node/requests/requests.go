// Package requests provides the queue in which nodes keep waiting requests.
package requests

import (
	"cmp"
	"slices"

	"example.org/doorway/messaging"
)

// A Queue holds the timestamps of requests, the oldest first. The zero value is
// empty. It is plain data, and may be part of a node's state.
type Queue []messaging.Stamp

// Insert adds r in order, and reports whether it was not in the queue already.
func (q *Queue) Insert(r messaging.Stamp) bool {
	i, found := slices.BinarySearchFunc(*q, r, compare)
	if !found {
		*q = slices.Insert(*q, i, r)
	}
	return !found
}

// Remove removes r, and reports whether it was in the queue.
func (q *Queue) Remove(r messaging.Stamp) bool {
	i, found := slices.BinarySearchFunc(*q, r, compare)
	if found {
		*q = slices.Delete(*q, i, i+1)
	}
	return found
}

// First returns the oldest request, or the zero Stamp if there is none.
func (q Queue) First() messaging.Stamp {
	if len(q) == 0 {
		return messaging.Stamp{}
	}
	return q[0]
}

// Pop removes and returns the oldest request; it returns the zero Stamp if there is
// none.
func (q *Queue) Pop() messaging.Stamp {
	first := q.First()
	if len(*q) > 0 {
		*q = slices.Delete(*q, 0, 1)
	}
	return first
}

// Has reports whether r is in the queue.
func (q Queue) Has(r messaging.Stamp) bool {
	_, found := slices.BinarySearchFunc(q, r, compare)
	return found
}

// compare is the order of stamps, for a search.
func compare(r, s messaging.Stamp) int {
	return cmp.Or(cmp.Compare(r.Time, s.Time), cmp.Compare(r.ID, s.ID))
}
