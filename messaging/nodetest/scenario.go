package nodetest

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"example.org/doorway/internal/state"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
)

// Scenario returns the schedule of a failure of [Run], [Explore] or [Check] as a scenario on
// one line, which package sim and the command doorway run repeat: sim.ReadScenario reads
// it. The error ends with the same line, unless it is long.
//
// It returns "" if err is no such failure, or if package sim does not repeat it: it repeats
// two nodes inside, a deadlock and a panic; a violated invariant, if it is told which one
// (sim.Scenario.Invariant); and the schedule of a run that does not end or whose results are
// wrong. It does not repeat what a node draws in its Start, nor a node that sends to itself
// forever.
func Scenario(err error) string {
	var f *repeatable
	if errors.As(err, &f) {
		return f.scenario()
	}
	return ""
}

// A repeatable is a failure with the scenario that repeats it, which is made when it is
// asked for.
type repeatable struct {
	error
	scenario func() string
}

func (f *repeatable) Unwrap() error { return f.error }

func (f *repeatable) Error() string {
	const most = 2000
	text := f.scenario()
	if text == "" || len(text) > most {
		return f.error.Error()
	}
	return f.error.Error() + "\nscenario: " + text
}

// A decision is what happens next in a schedule, and what the node draws then.
type decision struct {
	do     byte   // as in sim.Simulation.Do
	number uint64 // of the node, or of what is pending
	drawn  []int
}

func (d decision) String() string {
	var b strings.Builder
	for _, k := range d.drawn {
		fmt.Fprintf(&b, "c%d.", k)
	}
	fmt.Fprintf(&b, "%c%d", d.do, d.number)
	return b.String()
}

// mostDecisions is the length of the longest schedule that is a scenario.
const mostDecisions = 20_000

// repeated returns err with the scenario of a run of a. The decisions are in that order;
// next returns the decision after k others, or false after the last.
func repeated(err error, a messaging.Algorithm, c sim.Config, next func(r *sim.Simulation, k int) (decision, bool)) error {
	c.Algorithm = a
	return &repeatable{err, sync.OnceValue(func() string {
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
		if kind := sim.Failure(r.Err()); kind != Failure(err) && (kind != "" || Failure(err) != "endless" && Failure(err) != "results") {
			return ""
		}
		text, inexpressible := r.MarshalText()
		if inexpressible != nil {
			return ""
		}
		return string(text)
	})}
}

// An occurrence is a step of an exploration, in words of a run of package sim.
type occurrence struct {
	decision
	pending *sim.Pending // what it is, but for its number; nil: the act of a user
}

// repeated returns err with the scenario that takes the steps of the path.
func (x *explorer) repeated(err error, path []step) error {
	var all []occurrence
	for _, e := range path {
		o := occurrence{decision: decision{number: uint64(e.node), drawn: e.drawn}}
		switch e.what {
		case starts:
			continue // before all else
		case asks, leaves, givesUp, crashes, restarts:
			o.do = map[cause]byte{asks: 'a', leaves: 'l', givesUp: 'g', crashes: 'k', restarts: 'r'}[e.what]
		default:
			o.do = 'd'
			o.pending = &sim.Pending{Action: "delivered", From: e.from, To: messaging.ID(e.node), Message: x.cells.messages[e.message]}
			if e.what == expires {
				o.pending.Action = "expired"
			}
		}
		all = append(all, o)
	}
	c := sim.Config{Name: x.c.Name, Nodes: x.c.Nodes, Holder: x.c.Holder, Unordered: x.c.Unordered, Invariant: x.c.Invariant}
	return repeated(err, x.of, c, func(r *sim.Simulation, k int) (decision, bool) {
		if k == len(all) {
			return decision{}, false
		}
		return all[k].in(r), true
	})
}

// in returns the decision with the number of what is pending in r.
func (o occurrence) in(r *sim.Simulation) decision {
	if o.pending == nil {
		return o.decision
	}
	o.number = 0
	for _, p := range r.Pending() {
		if p.Behind == 0 && p.Action == o.pending.Action && p.From == o.pending.From && p.To == o.pending.To && state.Equal(p.Message, o.pending.Message) {
			o.number = p.Number
			break
		}
	}
	return o.decision
}
