package nodetest

import "errors"

// Failure classifies an error of [Run], [Explore] or [Check]. It returns "" if err is nil
// or not a failure of a node, for example that of an invalid Config.
//
//	exclusion          two nodes are inside that exclude each other
//	deadlock           a request is pending, no message is in transit, and no node is inside
//	                   that it waits for
//	endless            the schedule does not end
//	panic              a node panicked
//	invariant          Invariant returned an error for the nodes and the messages in transit
//	results            Results returned an error for what the nodes have emitted
//
// The following are found by Check, and partly by Explore:
//
//	state              the state of a node is not plain data
//	unexported         an unexported field of a node has changed
//	shared             the state of a node changed outside its handlers
//	nondeterministic   a handler behaves differently in equal states
//	kind               a message is not of a listed kind, or is not plain data
//	changed            a message was changed after it was sent
//	refusal            an impossible message was not rejected correctly
//	excludes           Excludes of a Sharer is not symmetric, or it changes
//	late               an Out was used after its handler had returned
//	unsent             a listed kind of message was never sent
func Failure(err error) string {
	var f *failure
	if errors.As(err, &f) {
		return f.kind
	}
	return ""
}

// A failure is a kind for programs and a text for people.
type failure struct{ kind, text string }

func (f *failure) Error() string { return f.text }

// The failures.
var (
	errExclusion = &failure{"exclusion", "two nodes are inside"}
	errStuck     = &failure{"deadlock", "deadlock: a request is pending and no message is in transit"}
	errEndless   = &failure{"endless", "the schedule does not end"}
	errPanic     = &failure{"panic", "a node panicked"}
	errInvariant = &failure{"invariant", "the invariant is violated"}
	errResults   = &failure{"results", "the results are wrong"}

	errState    = &failure{"state", "the state of a node is not plain data"}
	errFixed    = &failure{"unexported", "an unexported field of a node has changed"}
	errShared   = &failure{"shared", "the state of a node changed outside its handlers"}
	errTwice    = &failure{"nondeterministic", "a handler behaves differently in equal states"}
	errKind     = &failure{"kind", "a message is not of a listed kind, or is not plain data"}
	errChanged  = &failure{"changed", "a message was changed after it was sent"}
	errRefusal  = &failure{"refusal", "an impossible message was not rejected correctly"}
	errExcludes = &failure{"excludes", "Excludes of a Sharer is not symmetric, or it changes"}
	errLate     = &failure{"late", "an Out was used after its handler had returned"}
	errNotSent  = &failure{"unsent", "a listed kind of message was never sent"}
)
