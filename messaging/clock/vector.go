package clock

import (
	"slices"

	"example.org/doorway/internal/node/action"
	"example.org/doorway/internal/node/causality"
	"example.org/doorway/messaging"
)

// A Vector is the vector timestamp of an event: by node, how many events of that node
// have happened before it, itself included. It decides happened-before, which a stamp of
// Lamport's clock does not: that of a later event is larger, but a larger one need not be of a
// later event. (C. J. Fidge, "Timestamps in message-passing systems that preserve the partial
// ordering", 1988; F. Mattern, "Virtual time and global states of distributed systems", 1989.)
//
// It is plain data and may be part of a node's state or of a message. Those that are
// compared are of the same nodes, and have the same length.
type Vector []uint64

// Before reports whether the event of v happened before that of w: no component of v is
// larger, and v is not w.
func (v Vector) Before(w Vector) bool {
	for i := range v {
		if v[i] > w[i] {
			return false
		}
	}
	return !slices.Equal(v, w)
}

// Concurrent reports whether neither event happened before the other, and v is not w.
func (v Vector) Concurrent(w Vector) bool {
	return !v.Before(w) && !w.Before(v) && !slices.Equal(v, w)
}

// Witness has v know what w knows: each component becomes the larger of the two.
func (v Vector) Witness(w Vector) {
	for i := range w {
		v[i] = max(v[i], w[i])
	}
}

// Vectors returns the timestamps of the events of a run, which are all from the first on, as
// an observer gets them. What is lost or duplicated is no event of a node, and has the timestamp of
// the sending. A crash happens before others are told of it.
//
// It takes a Vector of all nodes for each event.
func Vectors(nodes int, events []messaging.Event) []Vector {
	latest, all := make([]Vector, nodes), make([]Vector, len(events))
	for i := range latest {
		latest[i] = make(Vector, nodes)
	}
	where := make([]int, len(events)+1) // by number: several goroutines observe the events of a Cluster
	for k, e := range events {
		where[e.Number] = k
		var cause Vector
		if e.Cause != 0 {
			cause = all[where[e.Cause]]
		}
		if e.Action == action.Lost || e.Action == action.Duplicated {
			all[k] = cause
			continue
		}
		i := causality.At(e)
		v := slices.Clone(latest[i])
		v.Witness(cause)
		v[i]++
		latest[i], all[k] = v, v
	}
	return all
}
