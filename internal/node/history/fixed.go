package history

import (
	"reflect"

	"example.org/doorway/internal/node/notation"
	"example.org/doorway/internal/node/state"
	"example.org/doorway/messaging"
)

// StillFixed panics with a Breach if the constants of node i are not what they were before a
// handler.
func StillFixed(i messaging.ID, were, are []state.Constant, handler string) {
	for k, is := range are {
		switch was := were[k]; {
		case is.Equals(was):
		case is.Inner:
			Fail(State, "%s of %s was %s, but is %s after %s: a node within a node keeps its type", is.Name, notation.Node(i), was.Value, is.Value, handler)
		default:
			Fail(Fixed, "%s of %s was %s, but is %s after %s", is.Name, notation.Node(i), was.Value, is.Value, handler)
		}
	}
}

// Missing reports whether a node is nil, or a nil pointer.
func Missing(n messaging.Node) bool {
	v := reflect.ValueOf(n)
	return n == nil || v.Kind() == reflect.Pointer && v.IsNil()
}

// Again returns the node that an algorithm makes from a start from which it has made another. It
// panics with a Breach if the algorithm panics, or the node has another type than that, if it is not nil.
func Again(a messaging.Algorithm, start messaging.Start, other messaging.Node) (node messaging.Node) {
	func() {
		defer func() {
			if r := recover(); r != nil {
				Fail(Nondeterministic, "the algorithm has made node %d, but when it was to make it again, it panicked with: %v", start.Self, r)
			}
		}()
		node = a(start)
	}()
	if other != nil && reflect.TypeOf(node) != reflect.TypeOf(other) {
		Fail(Nondeterministic, "the algorithm has made node %d as a %T, and as a %T from the same start", start.Self, other, node)
	}
	return node
}

// NewEachTime panics with a Breach unless an algorithm makes another node that is equal to the
// given one from the same start.
func NewEachTime(a messaging.Algorithm, start messaging.Start, node messaging.Node) {
	twin := Again(a, start, node)
	if twin == node && reflect.TypeOf(node).Elem().Size() > 0 { // others may have one address
		Fail(Shared, "the algorithm has returned node %d twice: it must return a new node each time", start.Self)
	}
	were, are := state.Constants(node), state.Constants(twin)
	for k, is := range are {
		if was := were[k]; !is.Equals(was) {
			Fail(Nondeterministic, "the algorithm has made node %d with the field %s as %s, and with %s from the same start", start.Self, is.Name, was.Value, is.Value)
		}
	}
	if !state.Equal(node, twin) {
		Fail(Nondeterministic, "the algorithm has made node %d as %s, and as %s from the same start", start.Self, state.Format(node, nil), state.Format(twin, nil))
	}
}
