package sim

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.org/doorway/messaging"
)

// A glimpse is the state of a node after all events up to a time, or at the end of the run.
type glimpse struct {
	line  int
	node  messaging.ID
	at    time.Duration
	end   bool
	state NodeState
	seen  bool
}

func (g glimpse) String() string {
	if g.end {
		return name(g.node) + " at end"
	}
	return name(g.node) + " at " + inT(g.at)
}

// text returns the state as a line of output.
func (g glimpse) text() string {
	var fields []string
	for _, f := range g.fields() {
		fields = append(fields, f.Name+" "+f.Value)
	}
	return g.String() + ": " + strings.Join(fields, ", ")
}

// fields returns the phase and the fields of the node.
func (g glimpse) fields() []struct{ Name, Value string } {
	phase := struct{ Name, Value string }{"Phase", g.state.Phase.String()}
	if g.state.Crashed {
		phase.Value = "crashed"
	}
	all := []struct{ Name, Value string }{phase}
	for _, f := range g.state.Fields {
		if f.Name != phase.Name { // many nodes have one, which is the same
			all = append(all, f)
		}
	}
	return all
}

// An expectation is a fact that a line expects of a run. unmet says what it is instead, or
// returns "".
type expectation struct {
	line  int
	fact  string
	unmet func(o *observer, r Report, err error) string
}

// state reads: state S2 at 4.
func (p *parser) state(l *line) {
	g := p.glimpse(l)
	p.once(l, "state "+g.String())
	p.glimpses = append(p.glimpses, g)
}

func (p *parser) glimpse(l *line) glimpse {
	g := glimpse{line: p.line, node: l.node()}
	l.phrase("at")
	if g.end = l.accept("end"); !g.end {
		g.at = take(l, `"end", or `+aTime, parseTime)
	}
	return g
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
		e.unmet = expectFailure(take(l, "a failure: "+strings.Join(failures, ", "), func(word string) (string, bool) {
			return word, slices.Contains(failures, word)
		}))
	case l.accept("no"):
		l.phrase("failure")
		e.unmet = expectFailure("")
	case l.accept("longest"):
		l.phrase("wait")
		longest := l.time()
		e.unmet = func(_ *observer, r Report, _ error) string {
			return unless(r.Waiting.Longest == longest, inT(r.Waiting.Longest))
		}
	default:
		e.unmet = expectCount(l)
	}
	p.expectations = append(p.expectations, e)
}

var failures = []string{"deadlock", "endless", "exclusion", "invariant", "panic", "results"}

func unless(met bool, instead string) string {
	if met {
		return ""
	}
	return "it is " + instead
}

// expectState reads: S2 at end Phase = idle.
func (p *parser) expectState(l *line) func(*observer, Report, error) string {
	g := p.glimpse(l)
	field := l.name()
	l.phrase("=")
	var value string
	if l.err == nil {
		value, l.words = strings.Join(l.words, " "), nil
	}
	p.expected = append(p.expected, g)
	nth := len(p.expected) - 1
	return func(o *observer, r Report, _ error) string {
		g := o.expected[nth]
		if !g.seen {
			return "the run fails at " + inT(r.Time)
		}
		var known []string
		for _, f := range g.fields() {
			if f.Name == field {
				return unless(f.Value == value, f.Value)
			}
			known = append(known, f.Name)
		}
		return "its fields are " + strings.Join(known, ", ")
	}
}

// expectOrder reads the nodes that enter, one for each entry.
func expectOrder(l *line) func(*observer, Report, error) string {
	order := []messaging.ID{l.node()}
	for l.more() {
		order = append(order, l.node())
	}
	return func(o *observer, _ Report, _ error) string {
		var found []messaging.ID
		for _, r := range o.entered {
			found = append(found, r.node)
		}
		if len(found) == 0 {
			return unless(false, "that no node enters")
		}
		return unless(slices.Equal(order, found), strings.TrimPrefix(by(found), " by "))
	}
}

func expectFailure(kind string) func(*observer, Report, error) string {
	return func(_ *observer, _ Report, err error) string {
		switch found := Failure(err); found {
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
func expectCount(l *line) func(*observer, Report, error) string {
	const facts = `a fact: a number and what it is of, "state", "order", "fails", "no failure" or "longest wait"`
	if !l.more() || l.words[0][0] < '0' || l.words[0][0] > '9' {
		l.unexpected(facts)
	}
	n := int(l.integer(0, mostEvents))
	what := take(l, `a kind of message, "messages", "entries", "bypasses" or "lost"`, func(word string) (string, bool) {
		return word, isKind(word) || slices.Contains([]string{"messages", "entries", "bypasses", "lost"}, word)
	})
	return func(_ *observer, r Report, _ error) string {
		counts := map[string]int{"messages": r.Messages, "entries": r.Entries, "bypasses": r.Bypasses, "lost": r.Lost}
		found, general := counts[what]
		if !general {
			found = r.Kinds[what]
		}
		return unless(found == n, fmt.Sprint(found))
	}
}

// look keeps the states that are asked for from before the time at, the next event's, or those
// until the end of the run.
func (o *observer) look(at time.Duration, end bool) {
	for _, all := range [][]glimpse{o.glimpses, o.expected} {
		for k := range all {
			if g := &all[k]; !g.seen && (!g.end && g.at < at || end && (g.end || g.at == at)) {
				g.state, g.seen = o.sim.state(g.node), true
			}
		}
	}
}

func (o *observer) unusedGlimpses(r Report) {
	for _, g := range slices.Concat(o.glimpses, o.expected) {
		if !g.seen {
			o.unused(g.line, "expected the state of %v, but the run ends at %s", g, inT(r.Time))
		}
	}
}

// states returns the states that are shown.
func (o *observer) states() string {
	var lines []string
	for _, g := range o.glimpses {
		if g.seen {
			lines = append(lines, g.text())
		}
	}
	return strings.Join(lines, "\n")
}

// unmet returns an error for the first line whose expectation the run does not meet, or nil.
func (o *observer) unmet(r Report, err error) error {
	for _, e := range o.expectations {
		if instead := e.unmet(o, r, err); instead != "" {
			return o.errorAt(e.line, errors.New("expected "+e.fact+", but "+instead))
		}
	}
	return nil
}
