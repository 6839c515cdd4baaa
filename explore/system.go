package explore

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.org/doorway/explore/internal/system"
)

// A System is a transition system: states, and events that lead from one to another. It
// describes a design before there is a lock or a node to check. Every field except Initial
// and Next may be zero.
//
// A state S is plain data: booleans, integers, strings, and arrays, slices and structs of
// them, with exported fields. Two states are one if their contents are equal. There must be
// finitely many.
type System[S any] struct {
	Initial []S // the states in which it may begin

	// Next calls will for each event that is possible in s and weakly fair: it does not
	// remain possible forever without happening. It calls may for each event that need
	// never happen, such as a request or a fault. An event is one of the two in all states.
	// Both take the state to which the event
	// leads; for an event that leads to one of several, they are called for each. An event
	// has a name, such as "node 1 enters", by which histories and fairness tell it apart.
	//
	// Next must depend on s only. It must not change a slice of s, but a copy.
	Next func(s S, will, may func(event string, to S))

	// Invariant returns an error in the states that are wrong.
	Invariant func(s S) error

	// Terminal reports whether no event need be possible in s. Any other state without one
	// is a deadlock.
	Terminal func(s S) bool

	// Leads has what happens eventually, by name, such as "node 1 enters": in every fair run
	// each state that is due is done, or is followed by one that is.
	Leads map[string]func(s S) (due, done bool)

	Memory   int64                                       // the limit in bytes, about, of what the exploration keeps; 0: 4 GiB
	Progress func(doing string, states int, bytes int64) // as in [Config]
}

// A SystemReport is the result of CheckSystem.
type SystemReport struct {
	States int   // the reachable states
	Events int   // the transitions between them
	Ends   int   // the states without a possible event
	Depth  int   // the maximum, over all states, of the least number of events to reach it
	Bytes  int64 // that the exploration took, about

	Invariant, DeadlockFree NodesVerdict
	Leads                   map[string]NodesVerdict // by name, as in the System
}

// CheckSystem visits every state of a System, and returns a report: what holds is proved.
// It needs no build tag. A history has, behind each event, what it changes in the state;
// of a state with a method String, what that returns.
//
// It returns an error that is [ErrMemory] if the memory does not suffice, and one that
// names the field and the rule if the system is invalid: if S is not plain data, if Next
// has other events when it is called again, or if Next, Terminal or one of Leads panics. The
// error lists the shortest events that lead there. An Invariant that panics fails.
func CheckSystem[S any](s System[S]) (*SystemReport, error) {
	found, err := system.Check(system.Config[S](s))
	if err != nil {
		return nil, public(err)
	}
	r := &SystemReport{
		States: found.States, Events: found.Events, Ends: found.Ends, Depth: found.Depth, Bytes: found.Bytes,
		Invariant: verdictOf(found.Invariant), DeadlockFree: verdictOf(found.DeadlockFree),
		Leads: map[string]NodesVerdict{},
	}
	for name, v := range found.Leads {
		r.Leads[name] = verdictOf(v)
	}
	return r, nil
}

func (r *SystemReport) properties() []property {
	all := []property{r.Invariant.as("invariant", r.Invariant.Status == Fails, nil), r.DeadlockFree.as("deadlock-free", true, nil)}
	for _, name := range slices.Sorted(maps.Keys(r.Leads)) {
		v := r.Leads[name]
		all = append(all, v.as(name, true, nil))
	}
	return all
}

// Err returns nil if each property of the system holds. Otherwise it returns an error as
// [Report.Err] does.
func (r *SystemReport) Err() error {
	if r == nil {
		return errNoReport
	}
	return refuted(r.properties(), "")
}

// String returns the results, a line for each property, without histories.
func (r *SystemReport) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d states, %d events between them\n", r.States, r.Events)
	for _, p := range r.properties() {
		b.WriteString(p.line())
	}
	return b.String()
}
