package sim

import (
	"cmp"
	"errors"
	"fmt"
	"hash/maphash"
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

// An observer records the events of a run, as far as a scenario can show them.
type observer struct {
	*Scenario
	events int
	last   messaging.Event
	trace  strings.Builder
	note   func(messaging.Event) // writes to trace
	pass   func(messaging.Event) // Scenario.Observe, in the run that is output

	requests []*request
	entered  []*request // in the order of entry
	current  []*request // by node

	sent  int
	kinds []kindCount

	lines []unusedLine // without effect

	made     map[int]*request // by the step of the script
	detected bool             // some node learned of a crash
	ticked   messaging.Set    // the nodes of which a timer has expired
	crashes  map[messaging.ID]time.Duration

	glimpses, expected []glimpse // as in Scenario, with the states

	sim   *simulation
	sum   maphash.Hash // of the events, to compare the run with another
	gifts []written    // the inputs
}

// A kindCount is the number of messages of a kind.
type kindCount struct {
	kind string
	sent int
}

// A request records the actions of its node: asks at 0, enters at 2.
type request struct {
	node    messaging.ID
	asked   time.Duration
	actions []string
	entered bool
	over    bool
	end     time.Duration // if it is over
}

func newObserver(s *Scenario) *observer {
	o := &observer{
		Scenario: s,
		current:  make([]*request, s.setting.Nodes),
		made:     map[int]*request{},
		crashes:  map[messaging.ID]time.Duration{},
		glimpses: slices.Clone(s.glimpses),
		expected: slices.Clone(s.expected),
		gifts:    slices.Clone(s.inputs),
	}
	o.note = Trace(&o.trace)
	o.sum.SetSeed(seed)
	return o
}

// mostEvents is far more than a reader would follow. It ends the run of a broken
// algorithm that sends messages forever.
const mostEvents = 1_000_000

var seed = maphash.MakeSeed()

// patience is enough for all nodes to enter one after the other, with the longest
// times that a file can give.
const patience = 4 * mostNodes * latest * T

func (o *observer) run(a messaging.Algorithm, holder messaging.ID) (r Report, err error) {
	c := o.config
	c.Algorithm, c.Holder, c.Invariant, c.Results = a, holder, o.Invariant, o.Results
	c.Observe, c.Order, c.Pairs = o.observe, true, true
	if o.given["run"] > 0 {
		r, err = o.runChoices(c)
	} else {
		r, err = o.runAlone(c)
	}
	if o.events > mostEvents {
		return Report{}, errTooMany
	}
	if o.sim != nil {
		o.look(r.Time, true)
	}
	return r, err
}

func (o *observer) runChoices(c Config) (Report, error) {
	by, err := start(c, func(s *simulation, e messaging.Event) {
		o.sim = s
		o.look(e.At, false)
	})
	if err != nil {
		return Report{}, err
	}
	err = by.do(o.choices)
	o.sim = by.run
	if err != nil {
		return by.Report(), impossible{err}
	}
	return by.Report(), by.Err()
}

// runAlone runs a scenario without choices.
func (o *observer) runAlone(c Config) (Report, error) {
	c.Patience = cmp.Or(c.Patience, patience)
	if err := c.check(); err != nil {
		return Report{}, fmt.Errorf("sim: %w", err)
	}
	c.Observe = func(e messaging.Event) {
		o.look(e.At, false)
		o.observe(e)
	}
	o.sim = newSimulation(c, false)
	return o.sim.whole()
}

// An impossible is the error of a choice that cannot be made.
type impossible struct{ error }

var errTooMany = errors.New("too many events")

// tooMany returns the error of a run with too many events, at the line of the load,
// or else of the algorithm.
func (o *observer) tooMany() error {
	line := cmp.Or(o.given[aLoad], o.given["algorithm"])
	return o.errorAt(line, fmt.Errorf("expected a run of at most %d events, but at %s T it has more", mostEvents, inT(o.last.At)))
}

func (o *observer) observe(e messaging.Event) {
	o.last = e
	if o.events++; o.events > mostEvents {
		o.sim.err = errTooMany
		return
	}
	if o.given["holder"] > 0 {
		_, _ = o.sum.WriteString(inT(e.At) + " " + notation.Event(e) + "\n")
	}
	if o.pass != nil {
		o.pass(e)
	}
	if e.At >= o.From && slices.Contains(o.sections, "events") {
		o.note(e)
	}
	r := o.current[e.From]
	switch e.Action {
	case action.Requested:
		r = &request{node: e.From, asked: e.At}
		o.current[e.From], o.made[o.sim.users[e.From].step] = r, r
		o.requests = append(o.requests, r)
		r.does("asks", e)
	case action.Entered:
		r.does("enters", e)
		r.entered = true
		o.entered = append(o.entered, r)
	case action.Left:
		r.ends("leaves", e)
	case action.GaveUp:
		r.ends("gives up", e)
	case action.Crashed:
		o.crashes[e.From] = e.At
		if r != nil && !r.over {
			r.ends("crashes", e)
		}
	case action.Told:
		o.detected = true
	case action.Expired:
		o.ticked.Add(e.From)
	case action.Input:
		o.gave(e)
	case action.Sent:
		o.count(e)
	}
}

func (r *request) does(verb string, e messaging.Event) {
	r.actions = append(r.actions, verb+" at "+inT(e.At))
}

func (r *request) ends(verb string, e messaging.Event) {
	r.does(verb, e)
	r.over, r.end = true, e.At
}

func (o *observer) count(e messaging.Event) {
	if e.At < o.From {
		return
	}
	o.sent++
	kind := messaging.Kind(e.Message)
	k := slices.IndexFunc(o.kinds, func(c kindCount) bool { return c.kind == kind })
	if k < 0 {
		k = len(o.kinds)
		o.kinds = append(o.kinds, kindCount{kind: kind})
	}
	o.kinds[k].sent++
}

// failure describes how a run failed. What is not a failure of the algorithm is
// returned as an error with its line.
func (o *observer) failure(r Report, err error) (string, error) {
	var (
		why impossible
		how *failed
		f   *history.Failure
	)
	switch {
	case err == nil:
		return "", nil
	case errors.As(err, &why):
		return "", o.errorAt(o.given["run"], why.error)
	case errors.Is(err, errTooMany):
		return "", o.tooMany()
	case !errors.As(err, &f):
		return "", fmt.Errorf("%s: %w", o.name, err)
	}
	at := "fails at " + inT(r.Time) + ": "
	switch f {
	case history.Stuck, history.Unending:
		return at + f.Error() + names(o.waiting()), nil
	case history.Exclusion:
		v := steps.Violation{}
		errors.As(err, &v)
		return at + f.Error() + names([]messaging.ID{v.Inside, v.Entered}), nil
	case history.Overflow:
		return "", o.errorAt(o.asking, fmt.Errorf("expected times that add up to at most %s T, but at %s T those of all requests exceed that",
			inT(math.MaxInt64), inT(r.Time)))
	}
	errors.As(err, &how)
	text, _ := notation.Named(how.error.Error())
	return at + text, nil
}

func (o *observer) waiting() []messaging.ID {
	var ids []messaging.ID
	for _, r := range o.requests {
		if !r.over && !r.entered {
			ids = append(ids, r.node)
		}
	}
	return ids
}

// names lists the nodes that a failure concerns, or returns "" if there are none.
func names(ids []messaging.ID) string {
	if len(ids) == 0 {
		return ""
	}
	return ": " + some(20, namesOf(ids))
}

// messagesOf describes the messages that x matches, in the form of a scenario.
func messagesOf(x Exception) string {
	end := func(ids []messaging.ID) string {
		if ids == nil {
			return "*"
		}
		return name(ids[0])
	}
	text := strings.TrimSpace(x.Kind + " " + end(x.From) + "->" + end(x.To))
	if x.Ordinal > 0 {
		text += fmt.Sprintf(" #%d", x.Ordinal)
	}
	return text
}

// allSections lists what can be shown, in the order of the output.
var allSections = []struct {
	name string
	text func(o *observer, r Report) string
}{
	{"events", func(o *observer, _ Report) string { return strings.TrimSuffix(o.trace.String(), "\n") }},
	{"entries", func(o *observer, _ Report) string { return strings.Join(o.entries(), "\n") }},
	{"emits", func(o *observer, r Report) string { return strings.Join(o.emits(r), "\n") }},
	{"messages", func(o *observer, _ Report) string { return o.messages() }},
	{"delays", func(_ *observer, r Report) string { return r.delayTable() }},
	{"report", func(_ *observer, r Report) string { return r.String() }},
}

func (o *observer) output(r Report, failure string) string {
	var parts []string
	for _, s := range allSections {
		if slices.Contains(o.sections, s.name) {
			parts = append(parts, s.text(o, r))
		}
	}
	parts = slices.DeleteFunc(append(parts, o.states(), failure), func(part string) bool { return part == "" })
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, "\n\n") + "\n"
}

func (o *observer) entries() []string {
	var lines []string
	for _, r := range o.shown(o.entered) {
		lines = append(lines, r.String())
	}
	for _, r := range o.shown(o.requests) {
		if !r.entered {
			lines = append(lines, r.String())
		}
	}
	return lines
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

func (o *observer) messages() string {
	s := fmt.Sprintf("%d messages", o.sent)
	if o.sent == 1 {
		s = "1 message"
	}
	if entries := len(o.shown(o.entered)); entries > 0 {
		s += fmt.Sprintf(", %s per entry", decimal(o.sent, entries))
	}
	for _, c := range o.kinds {
		s += fmt.Sprintf("\n%6d %s", c.sent, c.kind)
	}
	return s
}

// decimal returns a/b with at most three digits after the point.
func decimal(a, b int) string {
	thousandths := (2000*a + b) / (2 * b)
	return strconv.FormatFloat(float64(thousandths)/1000, 'f', -1, 64)
}
