package nodetest

import (
	"errors"

	"example.org/doorway/internal/node/history"
)

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
