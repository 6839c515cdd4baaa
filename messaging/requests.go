package messaging

import "slices"

// Requests are the stamps of requests, the oldest first. The zero value is empty.
type Requests []Stamp

// Insert adds r at its place, and reports whether it was not there already.
func (q *Requests) Insert(r Stamp) bool {
	i, found := slices.BinarySearchFunc(*q, r, Stamp.compare)
	if !found {
		*q = slices.Insert(*q, i, r)
	}
	return !found
}

// Remove removes r, and reports whether it was there.
func (q *Requests) Remove(r Stamp) bool {
	i, found := slices.BinarySearchFunc(*q, r, Stamp.compare)
	if found {
		*q = slices.Delete(*q, i, i+1)
	}
	return found
}

// First returns the oldest; the zero Stamp if there is none.
func (q Requests) First() Stamp {
	if len(q) == 0 {
		return Stamp{}
	}
	return q[0]
}

// Pop removes and returns the oldest; the zero Stamp if there is none.
func (q *Requests) Pop() Stamp {
	first := q.First()
	if len(*q) > 0 {
		*q = slices.Delete(*q, 0, 1)
	}
	return first
}

// Has reports whether r is there.
func (q Requests) Has(r Stamp) bool {
	_, found := slices.BinarySearchFunc(q, r, Stamp.compare)
	return found
}
