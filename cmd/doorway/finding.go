package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.org/doorway/explore"
	"example.org/doorway/internal/spelling"
)

// An extent is what all checks report: how much there was to explore, and what holds in it.
type extent struct {
	States      int           `json:"states"`
	Transitions int           `json:"transitions"`
	Depth       int           `json:"depth"`
	Bypasses    int           `json:"bypasses"`
	ByAll       int           `json:"bypasses_by_all"`
	Bytes       int64         `json:"bytes,omitempty"`
	Elapsed     time.Duration `json:"elapsed_ns"`
	Properties  []property    `json:"properties"`
}

// addStates adds a row for the states, and the steps or events between them.
func (x *extent) addStates(t *table, one, more string) {
	t.add("states", fmt.Sprintf("%s, the farthest %s from the start; %s between them",
		spelling.Thousands(x.States), number(x.Depth, one, more), number(x.Transitions, one, more)))
}

func (x *extent) addTook(t *table) {
	took := x.Elapsed.Round(10 * time.Millisecond).String()
	if x.Bytes > 0 {
		took += fmt.Sprintf(", %d MiB", (x.Bytes+1<<20-1)>>20)
	}
	t.add("took", took)
}

// addVerdicts adds a row for each property of which there is something to say, and one for all others if something
// ended the check.
func (x *extent) addVerdicts(t *table, ended string) {
	for _, p := range x.Properties {
		if p.Status != explore.Unknown || p.Note != "" && ended == "" {
			t.add(p.words, p.says())
		}
	}
	if ended != "" {
		t.add("all others", "not checked: "+ended)
	}
}

// addBypasses adds a row for how often others enter while a node, or a goroutine, waits.
func (x *extent) addBypasses(t *table, while string) {
	t.add("bypasses", fmt.Sprintf("while a %s, %s by each other, %s by all together", while, atMost(x.Bypasses), atMost(x.ByAll)))
}

func atMost(k int) string {
	if k == explore.Unbounded {
		return "more than 254"
	}
	return fmt.Sprintf("at most %d", k)
}

// conclusion states whether a lock or a protocol keeps its promise, or that of every other lock or protocol, in every such run.
func (x *extent) conclusion(of subject, kind, runs string) string {
	whose := "its"
	if of.kind == foreign {
		whose = "every " + kind + "'s"
	}
	if broken := broken(x.Properties); len(broken) > 0 {
		return fmt.Sprintf("%s breaks %s promise: %s.", of.Name, whose, fails(broken))
	}
	return fmt.Sprintf("%s keeps %s promise in every %s.", of.Name, whose, runs)
}

// nouns are what can fail, where it differs from the words for what holds.
var nouns = map[string]string{
	"no_panic": "freedom from panics", "deadlock_free": "deadlock freedom", "starvation_free": "starvation freedom",
	"race_free": "freedom from data races", "safe_registers": "tolerance of safe registers", "bypasses": "the bypass bound",
	"numbers": "the bound of numbers", "results": "correctness of the results", "quiescent": "coming to rest",
}

// fails says of properties that they fail.
func fails(broken []property) string {
	all := make([]string, len(broken))
	for k, p := range broken {
		all[k] = cmp.Or(nouns[p.Name], p.words)
	}
	if len(all) == 1 {
		return all[0] + " fails"
	}
	return spelling.Enumerate(all) + " fail"
}

// A property is the verdict on one.
type property struct {
	Name     string `json:"name"`
	words    string
	compared bool           // the text tells whether it was promised
	Promised bool           `json:"promised"`
	Status   string         `json:"status"`
	Runs     string         `json:"runs,omitempty"` // of nodes: in which it holds
	Note     string         `json:"note,omitempty"` // what else is to be said
	Trace    *explore.Trace `json:"trace,omitempty"`
	History  *history       `json:"history,omitempty"`
}

// A history is a run of nodes in which a property fails: an [explore.History].
type history struct {
	Title    string   `json:"title"`
	Events   []string `json:"events"`
	Length   int      `json:"-"`
	Loop     int      `json:"loop"`
	Scenario string   `json:"scenario,omitempty"`
}

// newProperty returns a verdict on nodes, or on goroutines.
func newProperty(name, words string, promised bool, v explore.NodesVerdict) property {
	p := property{Name: name, words: words, Promised: promised, Status: v.Status, Note: v.Note, History: (*history)(v.History)}
	p.compared = p.Status == explore.Fails
	if p.Status == explore.Holds {
		p.Runs, p.Note = v.Note, ""
	}
	return p
}

// broken returns the promises that fail.
func broken(all []property) (some []property) {
	for _, p := range all {
		if p.Promised && p.Status == explore.Fails {
			some = append(some, p)
		}
	}
	return some
}

// says returns the verdict in words, and whether it was promised.
func (p property) says() string {
	text := p.Status
	switch {
	case p.Status == explore.Unknown:
		text = "not checked"
	case p.Runs != "":
		text += " " + p.Runs
	case !p.compared || p.Promised:
	case p.Status == explore.Fails:
		text += ", not promised"
	case p.Status == explore.Holds:
		text += ", though not promised"
	}
	if p.Note != "" {
		text += ": " + p.Note
	}
	return text
}

// number is how many there are, with their name.
func number(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return spelling.Thousands(n) + " " + more
}

// A result is what a check of a lock or a protocol prints.
type result struct {
	json     any
	text     string
	violated bool       // a promise is broken
	runs     []shownRun // in which something fails, those of promises first
	shown    int        // so many of them without -trace
	none     string     // why no run is drawn
	more     []string   // flags with which more can happen
	replay   *replay    // of a lock of one's own; nil: there is none
	noReplay string     // why
}

// A shownRun is a run in which something fails.
type shownRun struct {
	title, text string
	draw        func() (drawable, error) // nil: it cannot be drawn
}

// result returns what a check prints, with the runs of the properties that fail.
func (x *extent) result(json any, text string, show func(property) shownRun) result {
	r := result{json: json, text: text, violated: len(broken(x.Properties)) > 0, none: "no property fails, so there is no run to draw"}
	for _, promised := range []bool{true, false} {
		for _, p := range x.Properties {
			if p.Promised != promised || p.Trace == nil && p.History == nil {
				continue
			}
			run, last := show(p), len(r.runs)-1
			if !promised || last < 0 || run.title != r.runs[last].title { // one run can show that several promises are broken
				r.runs = append(r.runs, run)
			}
		}
		if promised {
			r.shown = len(r.runs)
		}
	}
	return r
}

// conclude writes the result, and returns an error if a promise is broken.
func (u *checkup) conclude(s streams, r result) error {
	s.report(r.json, func(int) string { return u.text(r) })
	if err := cmp.Or(u.draw(s, r), u.writeTest(s, r)); err != nil {
		return err
	}
	if r.violated {
		return errViolated
	}
	return nil
}

func (u *checkup) text(r result) string {
	if u.traces {
		r.shown = len(r.runs)
	}
	parts := []string{r.text}
	if r.shown < len(r.runs) {
		parts = append(parts, "-trace shows a run for every property that fails.\n")
	}
	for _, of := range r.runs[:r.shown] {
		parts = append(parts, of.text)
	}
	if more := slices.DeleteFunc(r.more, u.IsSet); len(more) > 0 && !r.violated {
		parts = append(parts, fmt.Sprintf("\nMore can happen with -%s: doorway help check.\n", strings.Join(more, ", -")))
	}
	return strings.Join(parts, "")
}

// draw draws the first run that can be to the file that was asked for.
func (u *checkup) draw(s streams, r result) error {
	if u.svg == "" {
		return nil
	}
	k := slices.IndexFunc(r.runs, func(of shownRun) bool { return of.draw != nil })
	if k < 0 {
		s.notWritten(r.none, u.svg)
		return nil
	}
	picture, err := r.runs[k].draw()
	if err != nil {
		return err
	}
	return s.draw(u.svg, picture, fmt.Sprintf("\n%s shows it: %s.\n", u.svg, r.runs[k].title))
}

// notWritten says why a file that was asked for is not written.
func (s streams) notWritten(why, file string) {
	tell(s.err, fmt.Sprintf("doorway check: %s: %s is not written", why, file))
}
