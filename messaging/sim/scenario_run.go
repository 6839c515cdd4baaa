package sim

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.org/doorway/internal/node/action"
	"example.org/doorway/internal/node/history"
	"example.org/doorway/internal/node/notation"
	"example.org/doorway/internal/node/steps"
	"example.org/doorway/messaging"
)

// An observer records a run of a scenario.
type observer struct {
	*Scenario
	sim    *simulation
	events []messaging.Event
	scenes []scene // as in Scenario, with the states

	report Report
	err    error // how the run failed

	requests []*request
	entered  []*request // in the order of entry
	current  []*request // by node, its last
	steps    []int      // of the requests, in the script

	lines []*notation.LineError // without effect
}

// A request records the actions of its node: asks at 0, enters at 2.
type request struct {
	node    messaging.ID
	step    int // of the script
	asked   time.Duration
	actions []string
	entered bool
	over    bool
	end     time.Duration // if it is over
}

// mostEvents is far more than a reader would follow. It ends the run of a broken
// algorithm that sends messages forever.
const mostEvents = 1_000_000

// patience is enough for all nodes to enter one after the other, with the longest
// times that a file can give.
const patience = 4 * mostNodes * latest * T

// run runs the scenario. A failure of the algorithm is kept in err; what is none is returned,
// with its line.
func (s *Scenario) run(a messaging.Algorithm) (*observer, error) {
	o := &observer{Scenario: s, current: make([]*request, s.setting.Nodes), scenes: slices.Clone(s.scenes)}
	c := s.configOf(a)
	c.Order, c.Pairs = true, true
	_, chosen := s.given["run"]
	if !chosen {
		c.Patience = cmp.Or(c.Patience, patience)
	}
	by, err := start(c, !chosen, o.watch)
	if err != nil {
		return o, fmt.Errorf("%s: %w", s.name, err)
	}
	if chosen {
		err = by.do(s.choices)
	} else {
		by.run.guard(by.run.finish)
	}
	o.sim, o.events, o.report, o.err = by.run, by.events, by.Report(), by.Err()
	switch {
	case len(o.events) > mostEvents:
		o.report = Report{}
		return o, s.errorAt(cmp.Or(s.given[aLoad], s.given["algorithm"]),
			fmt.Errorf("expected a run of at most %d events, but at %s T it has more", mostEvents, inT(o.events[mostEvents].At)))
	case err != nil:
		return o, s.errorAt(s.given["run"], err)
	case errors.Is(o.err, history.Overflow):
		const format = "expected times that add up to at most %s T, but at %s T those of all requests exceed that"
		return o, s.errorAt(s.asking, fmt.Errorf(format, inT(math.MaxInt64), inT(o.report.Time)))
	}
	o.look(o.report.Time, true)
	o.gather()
	return o, nil
}

// configOf returns the run of the scenario with that algorithm.
func (s *Scenario) configOf(a messaging.Algorithm) Config {
	c := s.config
	c.Algorithm, c.Name, c.Invariant, c.Results = a, s.setting.Algorithm, s.Invariant, s.Results
	return c
}

// watch sees an event before it has any effect.
func (o *observer) watch(s *simulation, e messaging.Event) {
	o.sim = s
	o.look(e.At, false)
	if e.Number > mostEvents {
		s.err = errors.New("too many events")
		return
	}
	if e.Action == action.Requested {
		o.steps = append(o.steps, s.users[e.From].step)
	}
	if o.Observe != nil {
		o.Observe(e)
	}
}

// verbs are those of the actions of a request.
var verbs = map[string]string{
	action.Requested: "asks", action.Entered: "enters", action.Left: "leaves",
	action.GaveUp: "gives up", action.Crashed: "crashes",
}

// gather collects the requests of the run.
func (o *observer) gather() {
	for _, e := range o.events {
		if e.Action == action.Requested {
			o.current[e.From] = &request{node: e.From, step: o.steps[len(o.requests)], asked: e.At}
			o.requests = append(o.requests, o.current[e.From])
		}
		r, verb := o.current[e.From], verbs[e.Action]
		if verb == "" || r == nil || r.over {
			continue
		}
		r.actions = append(r.actions, verb+" at "+inT(e.At))
		switch e.Action {
		case action.Requested:
		case action.Entered:
			r.entered = true
			o.entered = append(o.entered, r)
		default:
			r.over, r.end = true, e.At
		}
	}
}

// last returns the last event of that action at a node, or at any if it is steps.None, and
// reports whether there is one.
func (o *observer) last(action string, i messaging.ID) (e messaging.Event, found bool) {
	for _, e := range slices.Backward(o.events) {
		if e.Action == action && (i == steps.None || e.From == i) {
			return e, true
		}
	}
	return e, false
}

// failure describes how the algorithm failed, or returns "".
func (o *observer) failure() string {
	if o.err == nil {
		return ""
	}
	var how *failed
	errors.As(o.err, &how)
	text, _ := notation.Named(how.error.Error())
	var ids []messaging.ID
	switch v := (steps.Violation{}); {
	case errors.As(o.err, &v):
		text, ids = history.Exclusion.Error(), []messaging.ID{v.Inside, v.Entered}
	case errors.Is(o.err, history.Stuck):
		text, ids = history.Stuck.Error(), o.waiting()
	case errors.Is(o.err, history.Unending):
		text, ids = history.Unending.Error(), o.waiting()
	}
	if len(ids) > 0 {
		text += ": " + some(20, namesOf(ids))
	}
	return "fails at " + inT(o.report.Time) + ": " + text
}

func (o *observer) waiting() (ids []messaging.ID) {
	for _, r := range o.requests {
		if !r.over && !r.entered {
			ids = append(ids, r.node)
		}
	}
	return ids
}

// allSections lists what can be shown, in the order of the output.
var allSections = []struct {
	name string
	text func(o *observer) string
}{
	{"events", (*observer).trace},
	{"entries", (*observer).entries},
	{"emits", (*observer).emits},
	{"messages", (*observer).messages},
	{"delays", func(o *observer) string { return o.report.delayTable() }},
	{"report", func(o *observer) string { return o.report.String() }},
}

// output returns what the scenario shows, and how the run failed.
func (o *observer) output() string {
	var parts []string
	for _, s := range allSections {
		if slices.Contains(o.sections, s.name) {
			parts = append(parts, s.text(o))
		}
	}
	parts = slices.DeleteFunc(append(parts, o.states(), o.failure()), func(part string) bool { return part == "" })
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, "\n\n") + "\n"
}

func (o *observer) trace() string {
	var b strings.Builder
	note := Trace(&b)
	for _, e := range o.events {
		if e.At >= o.From {
			note(e)
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (o *observer) entries() string {
	var lines []string
	for _, r := range o.shown(o.entered) {
		lines = append(lines, r.String())
	}
	for _, r := range o.shown(o.requests) {
		if !r.entered {
			lines = append(lines, r.String())
		}
	}
	return strings.Join(lines, "\n")
}

// shown returns the requests that were made late enough to be shown.
func (o *observer) shown(requests []*request) []*request {
	return slices.DeleteFunc(slices.Clone(requests), func(r *request) bool { return r.asked < o.From })
}

func (r *request) String() string {
	s := name(r.node) + " " + strings.Join(r.actions, ", ")
	switch {
	case r.over:
		return s
	case r.entered:
		return s + ", is still inside"
	}
	return s + ", still waits"
}

// emits returns a line for each value that a node has emitted.
func (o *observer) emits() string {
	var lines []string
	for _, e := range o.report.Emits {
		if e.At >= o.From {
			lines = append(lines, notation.Event(e)+" at "+inT(e.At))
		}
	}
	return strings.Join(lines, "\n")
}

func (o *observer) messages() string {
	var kinds []string // in the order in which they occur
	sent, of := 0, map[string]int{}
	for _, e := range o.events {
		if e.Action != action.Sent || e.At < o.From {
			continue
		}
		kind := messaging.Kind(e.Message)
		if of[kind] == 0 {
			kinds = append(kinds, kind)
		}
		of[kind]++
		sent++
	}
	s := fmt.Sprintf("%d messages", sent)
	if sent == 1 {
		s = "1 message"
	}
	if entries := len(o.shown(o.entered)); entries > 0 {
		s += fmt.Sprintf(", %s per entry", decimal(sent, entries))
	}
	for _, kind := range kinds {
		s += fmt.Sprintf("\n%6d %s", of[kind], kind)
	}
	return s
}

// decimal returns a/b with at most three digits after the point.
func decimal(a, b int) string {
	thousandths := (2000*a + b) / (2 * b)
	return strconv.FormatFloat(float64(thousandths)/1000, 'f', -1, 64)
}
