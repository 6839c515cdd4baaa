package history

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
)

// A Repeatable is a failure with the scenario that repeats it, which is made when it is
// asked for.
type Repeatable struct {
	Err      error
	Scenario func() string // on one line; "" if package sim does not repeat it
}

func (f *Repeatable) Unwrap() error { return f.Err }

func (f *Repeatable) Error() string {
	const most = 2000
	text := f.Scenario()
	if text == "" || len(text) > most {
		return f.Err.Error()
	}
	return f.Err.Error() + "\nscenario: " + text
}

// A Decision is what happens next in a schedule, and what the node draws then.
type Decision struct {
	Do     byte   // as in sim.Simulation.Do
	Number uint64 // of the node, or of what is pending
	Drawn  []int
}

func (d Decision) String() string {
	var b strings.Builder
	for _, k := range d.Drawn {
		fmt.Fprintf(&b, "c%d.", k)
	}
	fmt.Fprintf(&b, "%c%d", d.Do, d.Number)
	return b.String()
}

// mostDecisions is the length of the longest schedule that is a scenario.
const mostDecisions = 20_000

// unseen are the kinds of failures of schedules that the simulator does not look for.
var unseen = []string{"endless", "results", "fencing"}

// Inputs returns the inputs of each node, by node, as those of a run. All are due at the
// beginning, so that it is the schedule that decides when they are given.
func Inputs(by [][]messaging.Message) (all []sim.Input) {
	for i, of := range by {
		for _, m := range of {
			all = append(all, sim.Input{Node: messaging.ID(i), Message: m})
		}
	}
	return all
}

// Repeated returns err with the scenario of a run of a. The decisions are in that order;
// next returns the decision after k others, or false after the last.
func Repeated(err error, a messaging.Algorithm, c sim.Config, next func(r *sim.Simulation, k int) (Decision, bool)) error {
	c.Algorithm = a
	var once sync.Once
	var text string
	repeat := func() (text string) {
		defer func() {
			if recover() != nil { // a rule of the config panics here, too
				text = ""
			}
		}()
		r, invalid := sim.Start(c)
		if invalid != nil {
			return ""
		}
		for k := 0; ; k++ {
			d, more := next(r, k)
			if !more {
				break
			}
			if k == mostDecisions || r.Do(d.String()) != nil {
				return ""
			}
		}
		if kind := sim.Failure(r.Err()); kind != Kind(err) && (kind != "" || !slices.Contains(unseen, Kind(err))) {
			return ""
		}
		data, inexpressible := r.MarshalText()
		if inexpressible != nil {
			return ""
		}
		return string(data)
	}
	return &Repeatable{err, func() string {
		once.Do(func() { text = repeat() }) // sync.OnceValue would make a panic of runtime.Goexit
		return text
	}}
}
