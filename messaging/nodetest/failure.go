package nodetest

import (
	"errors"

	"example.org/doorway/internal/node/history"
)

// Failure classifies an error of [Run], [Check] or explore.CheckNodes. It returns "" if err is nil
// or not a failure of a node, for example that of an invalid Config.
//
//	exclusion          two nodes are inside that exclude each other
//	fencing            an entry has no larger token than one before it that it excludes: it does
//	                   not follow from that by messages, and with other delays both would be inside
//	deadlock           a request is pending, no message is in transit, and no node is inside
//	                   that it waits for
//	endless            the schedule does not end
//	panic              a node panicked, which is a verdict of explore.CheckNodes and no error; or
//	                   the algorithm did, or returned nil, when it was to make a node
//	invariant          Invariant returned an error for the nodes and the messages in transit
//	results            Results returned an error for what the nodes have emitted
//
// The following are found by Check, and partly by explore.CheckNodes:
//
//	state              the state of a node is not plain data
//	unexported         an unexported field of a node has changed
//	shared             the state of a node changed outside its handlers
//	nondeterministic   a handler behaves differently in equal states
//	kind               a message is not of a listed kind, or is not plain data
//	refusal            an impossible message was not rejected correctly
//	optional           a node has other optional interfaces than at first
//	excludes           Excludes of a Sharer is not symmetric, or it changes
//	late               an Out was used after its handler had returned
//	unsent             a listed kind of message was never sent
func Failure(err error) string { return history.Kind(err) }

// Scenario returns the schedule of a failure of [Run], [Check] or explore.CheckNodes as a
// scenario on one line, which package sim and the command doorway run repeat:
// sim.ReadScenario reads it. The error ends with the same line, unless it is long.
//
// It returns "" if err is no such failure, or if package sim does not repeat it: it repeats
// two nodes inside, a deadlock and a panic; a violated invariant, if it is told which one
// (sim.Scenario.Invariant); and, without the failure, the schedule of a run that does not end, or
// whose results or fencing tokens are wrong. It does not repeat what a node draws in its Start.
func Scenario(err error) string {
	var f *history.Repeatable
	if errors.As(err, &f) {
		return f.Scenario()
	}
	return ""
}
