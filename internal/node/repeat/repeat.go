// Package repeat makes scenarios of failures, which package sim repeats.
package repeat

import (
	"slices"
	"sync"

	"example.org/doorway/internal/node/history"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
)

// MostChoices is how many choices a scenario has at most.
const MostChoices = 20_000

// unseen are the kinds of failures of schedules that the simulator does not look for.
var unseen = []string{"endless", "results", "fencing"}

// Inputs returns the inputs of each node, by node, as those of a run. All are due at the
// beginning, so that it is the schedule that decides when they are given.
func Inputs(by [][]messaging.Message) (all []sim.Input) {
	for i, messages := range by {
		for _, m := range messages {
			all = append(all, sim.Input{Node: messaging.ID(i), Message: m})
		}
	}
	return all
}

// Failure returns err with the scenario of a run of a in which do makes the choices, and reports whether all can be
// made.
func Failure(err error, a messaging.Algorithm, c sim.Config, do func(r *sim.Simulation) bool) *history.Repeatable {
	c.Algorithm = a
	var once sync.Once
	var text string
	return &history.Repeatable{Err: err, Scenario: func() string {
		once.Do(func() { text = scenario(err, c, do) }) // sync.OnceValue would make a panic of runtime.Goexit
		return text
	}}
}

// scenario returns the run of c in which do makes the choices, or "" if it does not fail as err says.
func scenario(err error, c sim.Config, do func(r *sim.Simulation) bool) (text string) {
	defer func() {
		if recover() != nil { // a rule of the config panics here, too
			text = ""
		}
	}()
	r, invalid := sim.Start(c)
	if invalid != nil || !do(r) {
		return ""
	}
	if kind := sim.Failure(r.Err()); kind != history.Kind(err) && (kind != "" || !slices.Contains(unseen, history.Kind(err))) {
		return ""
	}
	data, inexpressible := r.MarshalText()
	if inexpressible != nil {
		return ""
	}
	return string(data)
}
