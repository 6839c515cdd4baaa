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

// An observer records a run of a scenario, as far as the scenario can show it.
type observer struct {
	*Scenario
	sim    *simulation
	scenes []scene // as in Scenario, with the states
	trace  strings.Builder
	note   func(messaging.Event) // writes to trace

	report Report
	err    error // how the run failed

	requests []*request
	entered  []*request // in the order of entry
	current  []*request // by node, its last

	kinds []string       // in the order in which they are sent
	sent  map[string]int // by kind
	gifts map[string]int // the inputs that were given, by node and message
	last  map[occasion]time.Duration

	lines []*notation.LineError // without effect
}

// An occasion is that of a crash, of learning of one, or of a timer that expires, at a node or at
// any node: [steps.None].
type occasion struct {
	action string
	node   messaging.ID
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
	o := &observer{
		Scenario: s, scenes: slices.Clone(s.scenes),
		current: make([]*request, s.setting.Nodes),
		sent:    map[string]int{}, gifts: map[string]int{}, last: map[occasion]time.Duration{},
	}
	o.note = Trace(&o.trace)
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
	o.sim, o.report, o.err = by.run, by.Report(), by.Err()
	switch {
	case by.run.Number > mostEvents:
		at := inT(by.run.Last)
		o.report = Report{}
		return o, s.errorAt(cmp.Or(s.given[aLoad], s.given["algorithm"]),
			fmt.Errorf("expected a run of at most %d events, but at %s T it has more", mostEvents, at))
	case err != nil:
		return o, s.errorAt(s.given["run"], err)
	case errors.Is(o.err, history.Overflow):
		const format = "expected times that add up to at most %s T, but at %s T those of all requests exceed that"
		return o, s.errorAt(s.asking, fmt.Errorf(format, inT(math.MaxInt64), inT(o.report.Time)))
	}
	o.look(o.report.Time, true)
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
	if e.At >= o.From && slices.Contains(o.sections, "events") {
		o.note(e)
	}
	o.gather(e)
	if o.Observe != nil {
		o.Observe(e)
	}
}

// gather records what an event is to requests, and what lines may be about.
func (o *observer) gather(e messaging.Event) {
	r := o.current[e.From]
	switch e.Action {
	case action.Requested:
		r = &request{node: e.From, step: o.sim.users[e.From].step, asked: e.At}
		o.current[e.From], o.requests = r, append(o.requests, r)
		r.does("asks", e)
	case action.Entered:
		r.does("enters", e)
		r.entered, o.entered = true, append(o.entered, r)
	case action.Left:
		r.ends("leaves", e)
	case action.GaveUp:
		r.ends("gives up", e)
	case action.Crashed:
		if r != nil && !r.over {
			r.ends("crashes", e)
		}
		fallthrough
	case action.Told, action.Expired:
		o.last[occasion{e.Action, e.From}], o.last[occasion{e.Action, steps.None}] = e.At, e.At
	case action.Input:
		o.gifts[name(e.From)+notation.Message(e.Message)]++
	case action.Sent:
		if e.At < o.From {
			return
		}
		kind := messaging.Kind(e.Message)
		if o.sent[kind] == 0 {
			o.kinds = append(o.kinds, kind)
		}
		o.sent[kind]++
	}
}

func (r *request) does(verb string, e messaging.Event) {
	r.actions = append(r.actions, verb+" at "+inT(e.At))
}

func (r *request) ends(verb string, e messaging.Event) {
	r.does(verb, e)
	r.over, r.end = true, e.At
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
	{"events", func(o *observer) string { return strings.TrimSuffix(o.trace.String(), "\n") }},
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
	sent := 0
	for _, n := range o.sent {
		sent += n
	}
	s := fmt.Sprintf("%d messages", sent)
	if sent == 1 {
		s = "1 message"
	}
	if entries := len(o.shown(o.entered)); entries > 0 {
		s += fmt.Sprintf(", %s per entry", decimal(sent, entries))
	}
	for _, kind := range o.kinds {
		s += fmt.Sprintf("\n%6d %s", o.sent[kind], kind)
	}
	return s
}

// decimal returns a/b with at most three digits after the point.
func decimal(a, b int) string {
	thousandths := (2000*a + b) / (2 * b)
	return strconv.FormatFloat(float64(thousandths)/1000, 'f', -1, 64)
}
