package nodetest

import "errors"

// Failure returns in what way nodes have failed, of an error of [Run], [Explore] or
// [Check]; "" if err is nil or anything else, such as a Config that makes no sense.
//
//	exclusion          two nodes are inside
//	deadlock           a node waits, and nothing is under way
//	endless            the schedule does not end
//	panic              a node panicked
//
// What follows only Check finds (and Explore, where it stumbles over it):
//
//	state              the state of a node is not plain data
//	unexported         an unexported field of a node has changed
//	shared             the state of a node changed, but not by its handlers
//	nondeterministic   a handler does not do the same twice
//	kind               a message is of no listed kind, or is not plain data
//	changed            a message was changed after it was sent
//	refusal            a message was not refused as it should be
//	unsent             a listed kind of messages was never sent
func Failure(err error) string {
	var f *failure
	if errors.As(err, &f) {
		return f.kind
	}
	return ""
}

// A failure is the way in which nodes fail, in one word and in several.
type failure struct{ kind, text string }

func (f *failure) Error() string { return f.text }

// The failures.
var (
	errExclusion = &failure{"exclusion", "two nodes are inside"}
	errStuck     = &failure{"deadlock", "somebody waits, and nothing is under way"}
	errEndless   = &failure{"endless", "the schedule does not end"}
	errPanic     = &failure{"panic", "a node panicked"}

	errState   = &failure{"state", "the state of a node is not plain data"}
	errFixed   = &failure{"unexported", "an unexported field of a node has changed"}
	errShared  = &failure{"shared", "the state of a node changed, but not by its handlers"}
	errTwice   = &failure{"nondeterministic", "a handler does not do the same twice"}
	errKind    = &failure{"kind", "a message is of no listed kind, or is not plain data"}
	errChanged = &failure{"changed", "a message was changed after it was sent"}
	errRefusal = &failure{"refusal", "a message was not refused as it should be"}
	errNotSent = &failure{"unsent", "a listed kind of messages was never sent"}
)
