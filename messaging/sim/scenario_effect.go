package sim

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"example.org/doorway/internal/node/history"
	"example.org/doorway/internal/node/notation"
	"example.org/doorway/messaging"
)

// An unusedLine had no effect on the run.
type unusedLine struct {
	line     int
	expected string // what it requires, and what there was
}

// unused notes a line without effect.
func (o *observer) unused(line int, format string, args ...any) {
	o.lines = append(o.lines, unusedLine{line, fmt.Sprintf(format, args...)})
}

// withoutEffect returns an error for the first line that had no effect on the run,
// which measured r and failed with err, or nil.
func (o *observer) withoutEffect(r Report, err error, lookup lookup) error {
	o.unusedExceptions(err)
	if o.given["run"] == 0 && (err == nil || errors.Is(err, history.Stuck)) { // otherwise it was cut short
		o.unusedRequests(r, err)
		o.unusedInputs(r)
		o.unusedCrashes(r)
		o.unusedDetection()
		o.unusedHolder(lookup)
		o.unusedGlimpses(r)
		o.unusedChances(r)
	}
	if len(o.lines) == 0 {
		return nil
	}
	first := slices.MinFunc(o.lines, func(a, b unusedLine) int { return cmp.Compare(a.line, b.line) })
	return &notation.LineError{File: o.name, Line: first.line, Unused: true, Err: errors.New(first.expected)}
}

func (o *observer) unusedExceptions(err error) {
	o.needs("latency", o.sim.links.regular, "expected messages to which no other line applies, but none was sent")
	for k, x := range o.config.Except {
		why, u := "none was sent", o.sim.links.uses[k]
		switch {
		case u.applied:
			continue
		case u.behind != nil:
			why = fmt.Sprintf("line %d applies to those that were sent", o.given[exceptionOf(*u.behind)])
		case u.matched > 0:
			why = fmt.Sprintf("only %d of these were sent", u.matched)
		}
		if err != nil {
			why += " before the run failed"
		}
		o.unused(o.given[exceptionOf(x)], "expected messages %s, but %s", messagesOf(x), why)
	}
}

// unusedRequests notes the requests of a script that were not made, and a load that made too few.
func (o *observer) unusedRequests(r Report, err error) {
	var before *request // the last that its node has made
	for k, q := range o.sim.script {
		if before != nil && before.node != q.Node {
			before = nil
		}
		if o.made[k] != nil {
			before = o.made[k]
			continue
		}
		later, down := o.current[q.Node] != before, o.sim.Lives[q.Node].Crashed
		ends := "the run ends at " + inT(r.Time)
		switch {
		case before != nil && before.over && q.GiveUp != 0 && q.GiveUp <= before.end && (later || !down):
			o.unusedRequest(q, "its request made at %s is over only at %s", inT(before.asked), inT(before.end))
		case later || down:
			o.unusedRequest(q, "it crashes at %s", inT(o.crashes[q.Node]))
		case before == nil || before.over:
			o.unusedRequest(q, "%s", ends)
		case err == nil: // otherwise the failure explains it
			o.unusedRequest(q, "its request made at %s is not over when %s", inT(before.asked), ends)
		}
	}
	if err == nil && o.config.Until == 0 && r.Entries < o.config.Entries {
		o.unused(o.given[aLoad], "expected %d entries, but crashes leave only %d", o.config.Entries, r.Entries)
	}
}

func (o *observer) unusedRequest(q Request, why string, args ...any) {
	expected := fmt.Sprintf("expected %s to ask at %s", name(q.Node), inT(q.At))
	if q.GiveUp != 0 {
		expected += fmt.Sprintf(", or at least before %s", inT(q.GiveUp))
	}
	o.unused(o.given[requestOf(q.Node, q.At)], "%s, but %s", expected, fmt.Sprintf(why, args...))
}

func (o *observer) unusedCrashes(r Report) {
	for _, c := range o.config.Crashes {
		what, at := "crash", c.At
		switch _, crashed := o.crashes[c.Node]; {
		case crashed && (c.Restart == 0 || !o.sim.Lives[c.Node].Crashed):
			continue
		case crashed:
			what, at = "restart", c.Restart
		}
		o.unused(o.given[crashOf(c.Node)], "expected %s to %s at %s, but the run ends at %s", name(c.Node), what, inT(at), inT(r.Time))
	}
}

// needs notes the line that gives something, if nothing has happened that it is about.
func (o *observer) needs(given string, happened bool, expected string, args ...any) {
	if line := o.given[given]; line > 0 && !happened {
		o.unused(line, expected, args...)
	}
}

func (o *observer) unusedDetection() {
	if len(o.crashes) == 0 {
		o.needs("detect", false, "expected a crash to detect, but no node crashes")
	}
	o.needs("detect", o.detected, "expected a node to learn of a crash, but none does")
	for i := range o.clocks {
		o.needs(clockOf(i), o.clocked.Has(i), "expected %s to have a logical clock, but it has none", name(i))
	}
	for i := range messaging.ID(len(o.config.Pace)) {
		o.needs(paceOf(i), o.ticked.Has(i), "expected a timer of %s to expire, but none does", name(i))
	}
}

func (o *observer) unusedChances(r Report) {
	o.needs("loss", o.sim.links.lost, "expected a message to be lost at random, but none is")
	o.needs("duplication", o.sim.links.duplicated, "expected a message to be duplicated at random, but none is")
	abandoned := r.Withdrawn+r.Absorbed > 0 && o.given[aLoad] > 0
	o.needs(aGiveUp, abandoned, "expected a request of a load to be given up, but none is")
}

// unusedHolder finds out whether the holder matters, by a second run with another.
func (o *observer) unusedHolder(lookup lookup) {
	line, n := o.given["holder"], messaging.ID(o.setting.Nodes)
	if line == 0 || n == 1 {
		return
	}
	other := messaging.ID(0) // the default holder
	if o.setting.Holder == other {
		other++
	}
	algorithm, err := o.algorithmFor(lookup, other)
	if err != nil {
		return // it matters
	}
	second := newObserver(o.Scenario)
	_, _ = second.run(algorithm, other)
	if second.events == o.events && second.sum.Sum64() == o.sum.Sum64() {
		o.unused(line, "expected the holder %s to matter, but with %s the run is the same", name(o.setting.Holder), name(other))
	}
}
