package sim

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.org/doorway/messaging"
)

// A scene is the state of a node after all events up to a time, or at the end of the run.
type scene struct {
	line   int
	node   messaging.ID
	at     time.Duration
	end    bool
	hidden bool // it is only expected
	seen   bool
	fields []field
}

// A field is one of the state of a node.
type field = struct{ Name, Value string }

func (s scene) String() string {
	if s.end {
		return name(s.node) + " at end"
	}
	return name(s.node) + " at " + inT(s.at)
}

// fieldsOf returns the phase and the fields of a node.
func fieldsOf(state NodeState) []field {
	phase := field{"Phase", state.Phase.String()}
	if state.Crashed {
		phase.Value = "crashed"
	}
	all := []field{phase}
	for _, f := range state.Fields {
		if f.Name != phase.Name { // many nodes have one, which is the same
			all = append(all, f)
		}
	}
	return all
}

// look keeps the states that are asked for from before the time at, the next event's, or those
// until the end of the run.
func (o *observer) look(at time.Duration, end bool) {
	for k := range o.scenes {
		if s := &o.scenes[k]; !s.seen && (!s.end && s.at < at || end && (s.end || s.at == at)) {
			s.fields, s.seen = fieldsOf(o.sim.state(s.node)), true
		}
	}
}

// states returns the states that are shown.
func (o *observer) states() string {
	var lines []string
	for _, s := range o.scenes {
		if s.hidden || !s.seen {
			continue
		}
		var fields []string
		for _, f := range s.fields {
			fields = append(fields, f.Name+" "+f.Value)
		}
		lines = append(lines, s.String()+": "+strings.Join(fields, ", "))
	}
	return strings.Join(lines, "\n")
}

// An expectation is a fact that a line expects of a run. unmet says what it is instead, or
// returns "".
type expectation struct {
	line  int
	fact  string
	unmet func(o *observer) string
}

// unmet returns an error for the first line whose expectation the run does not meet, or nil.
func (o *observer) unmet() error {
	for _, e := range o.expectations {
		if instead := e.unmet(o); instead != "" {
			return o.errorAt(e.line, errors.New("expected "+e.fact+", but "+instead))
		}
	}
	return nil
}

func unless(met bool, instead string) string {
	if met {
		return ""
	}
	return "it is " + instead
}

// state reads: state S2 at 4.
func (p *parser) state(l *line) {
	p.scene(l, false)
	p.once(l, "state "+p.scenes[len(p.scenes)-1].String())
}

// scene reads S2 at 4, and returns its index.
func (p *parser) scene(l *line, hidden bool) int {
	s := scene{line: p.line, node: l.node(), hidden: hidden}
	l.phrase("at")
	if s.end = l.accept("end"); !s.end {
		s.at = take(l, `"end", or `+aTime, parseTime)
	}
	p.scenes = append(p.scenes, s)
	return len(p.scenes) - 1
}

// expect reads a fact.
func (p *parser) expect(l *line) {
	e := expectation{line: p.line, fact: strings.Join(l.words, " ")}
	switch {
	case l.accept("state"):
		e.unmet = p.expectState(l)
	case l.accept("order"):
		e.unmet = expectOrder(l)
	case l.accept("fails"):
		e.unmet = expectFailure(l.oneOf("a failure: ", "deadlock", "endless", "exclusion", "invariant", "panic", "results"))
	case l.accept("no"):
		l.phrase("failure")
		e.unmet = expectFailure("")
	case l.accept("longest"):
		l.phrase("wait")
		longest := l.time()
		e.unmet = func(o *observer) string {
			return unless(o.report.Waiting.Longest == longest, inT(o.report.Waiting.Longest))
		}
	default:
		e.unmet = expectCount(l)
	}
	p.expectations = append(p.expectations, e)
}

// expectState reads: S2 at end Phase = idle.
func (p *parser) expectState(l *line) func(*observer) string {
	nth := p.scene(l, true)
	name := l.name()
	l.phrase("=")
	var value string
	if l.err == nil {
		value, l.words = strings.Join(l.words, " "), nil
	}
	return func(o *observer) string {
		if !o.scenes[nth].seen {
			return "the run fails at " + inT(o.report.Time)
		}
		var known []string
		for _, f := range o.scenes[nth].fields {
			if f.Name == name {
				return unless(f.Value == value, f.Value)
			}
			known = append(known, f.Name)
		}
		return "its fields are " + strings.Join(known, ", ")
	}
}

// expectOrder reads the nodes that enter, one for each entry.
func expectOrder(l *line) func(*observer) string {
	order := []messaging.ID{l.node()}
	for l.more() {
		order = append(order, l.node())
	}
	return func(o *observer) string {
		var found []messaging.ID
		for _, r := range o.entered {
			found = append(found, r.node)
		}
		if len(found) == 0 {
			return "it is that no node enters"
		}
		return unless(slices.Equal(order, found), strings.Join(namesOf(found), " "))
	}
}

func expectFailure(kind string) func(*observer) string {
	return func(o *observer) string {
		switch found := Failure(o.err); found {
		case kind:
			return ""
		case "":
			return "the run does not fail"
		default:
			return "the run fails: " + found
		}
	}
}

// expectCount reads: 6 REQUEST, or 3 entries.
func expectCount(l *line) func(*observer) string {
	if !l.more() || l.words[0][0] < '0' || l.words[0][0] > '9' {
		l.unexpected(`a fact: a number and what it is of, "state", "order", "fails", "no failure" or "longest wait"`)
	}
	n := int(l.integer(0, mostEvents))
	what := take(l, `a kind of message, "messages", "entries", "bypasses" or "lost"`, func(word string) (string, bool) {
		return word, isKind(word) || slices.Contains([]string{"messages", "entries", "bypasses", "lost"}, word)
	})
	return func(o *observer) string {
		r := o.report
		counts := map[string]int{"messages": r.Messages, "entries": r.Entries, "bypasses": r.Bypasses, "lost": r.Lost}
		found, general := counts[what]
		if !general {
			found = r.Kinds[what]
		}
		return unless(found == n, fmt.Sprint(found))
	}
}
