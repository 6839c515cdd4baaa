package sim

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"example.org/doorway/internal/node/action"
	"example.org/doorway/internal/node/history"
	"example.org/doorway/internal/node/notation"
	"example.org/doorway/internal/node/steps"
	"example.org/doorway/messaging"
)

// unused notes a line without effect: what it requires, and what there was.
func (o *observer) unused(line int, format string, args ...any) {
	o.lines = append(o.lines, &notation.LineError{File: o.name, Line: line, Unused: true, Err: fmt.Errorf(format, args...)})
}

// needs notes the line that gives something, if nothing has happened that it is about.
func (o *observer) needs(given string, happened bool, expected string, args ...any) {
	if line := o.given[given]; line > 0 && !happened {
		o.unused(line, expected, args...)
	}
}

// withoutEffect returns an error for the first line that had no effect on the run, or nil.
func (o *observer) withoutEffect() error {
	o.unusedExceptions()
	if o.given["run"] == 0 && (o.err == nil || errors.Is(o.err, history.Stuck)) { // otherwise it was cut short
		o.unusedRequests()
		o.unusedInputs()
		o.unusedCrashes()
		o.unusedScenes()
		o.unusedRest()
	}
	if len(o.lines) == 0 {
		return nil
	}
	return slices.MinFunc(o.lines, func(a, b *notation.LineError) int { return cmp.Compare(a.Line, b.Line) })
}

// end says when the run ends.
func (o *observer) end() string { return "the run ends at " + inT(o.report.Time) }

func (o *observer) unusedExceptions() {
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
		if o.err != nil {
			why += " before the run failed"
		}
		o.unused(o.given[exceptionOf(x)], "expected messages %s, but %s", messagesOf(x), why)
	}
}

// unusedRequests notes the requests of a script that were not made, and a load that made too few.
func (o *observer) unusedRequests() {
	made := map[int]*request{}
	for _, r := range o.requests {
		made[r.step] = r
	}
	var before *request // the last that its node has made
	for k, q := range o.sim.script {
		if before != nil && before.node != q.Node {
			before = nil
		}
		if made[k] != nil {
			before = made[k]
			continue
		}
		expected := fmt.Sprintf("expected %s to ask at %s", name(q.Node), inT(q.At))
		if q.GiveUp != 0 {
			expected += ", or at least before " + inT(q.GiveUp)
		}
		if why := o.notMade(q, before); why != "" {
			o.unused(o.given[requestOf(q.Node, q.At)], "%s, but %s", expected, why)
		}
	}
	if o.err == nil && o.config.Until == 0 && o.report.Entries < o.config.Entries {
		o.unused(o.given[aLoad], "expected %d entries, but crashes leave only %d", o.config.Entries, o.report.Entries)
	}
}

// notMade returns why a request of the script was not made, or "" if the failure of the run explains
// it. The request before is the last that its node made.
func (o *observer) notMade(q Request, before *request) string {
	later, down := o.current[q.Node] != before, o.sim.Lives[q.Node].Crashed
	switch {
	case before != nil && before.over && q.GiveUp != 0 && q.GiveUp <= before.end && (later || !down):
		return fmt.Sprintf("its request made at %s is over only at %s", inT(before.asked), inT(before.end))
	case later || down:
		return "it crashes at " + inT(o.last[occasion{action.Crashed, q.Node}])
	case before == nil || before.over:
		return o.end()
	case o.err == nil:
		return fmt.Sprintf("its request made at %s is not over when %s", inT(before.asked), o.end())
	}
	return ""
}

func (o *observer) unusedInputs() {
	for _, w := range o.inputs {
		if o.gifts[name(w.Node)+w.text]--; o.gifts[name(w.Node)+w.text] >= 0 {
			continue
		}
		why := o.end()
		if at, crashed := o.last[occasion{action.Crashed, w.Node}]; crashed {
			why = "it crashes at " + inT(at)
		}
		o.unused(w.line, "expected %s to get %s at %s, but %s", name(w.Node), w.text, inT(w.At), why)
	}
}

func (o *observer) unusedCrashes() {
	for _, c := range o.config.Crashes {
		what, at := "crash", c.At
		switch _, crashed := o.last[occasion{action.Crashed, c.Node}]; {
		case crashed && (c.Restart == 0 || !o.sim.Lives[c.Node].Crashed):
			continue
		case crashed:
			what, at = "restart", c.Restart
		}
		o.unused(o.given[givenOf("a crash of", c.Node)], "expected %s to %s at %s, but %s", name(c.Node), what, inT(at), o.end())
	}
}

func (o *observer) unusedScenes() {
	for _, s := range o.scenes {
		if !s.seen {
			o.unused(s.line, "expected the state of %v, but %s", s, o.end())
		}
	}
}

// unusedRest notes lines about something that did not happen.
func (o *observer) unusedRest() {
	_, crashed := o.last[occasion{action.Crashed, steps.None}]
	o.needs("detect", crashed, "expected a crash to detect, but no node crashes")
	_, told := o.last[occasion{action.Told, steps.None}]
	o.needs("detect", told, "expected a node to learn of a crash, but none does")
	for i := range o.clocks {
		o.needs(givenOf("clock", i), o.clocked.Has(i), "expected %s to have a logical clock, but it has none", name(i))
	}
	for i := range messaging.ID(len(o.config.Pace)) {
		_, expired := o.last[occasion{action.Expired, i}]
		o.needs(givenOf("pace", i), expired, "expected a timer of %s to expire, but none does", name(i))
	}
	o.needs("loss", o.sim.links.lost, "expected a message to be lost at random, but none is")
	o.needs("duplication", o.sim.links.duplicated, "expected a message to be duplicated at random, but none is")
	abandoned := o.report.Withdrawn+o.report.Absorbed > 0 && o.given[aLoad] > 0
	o.needs(aGiveUp, abandoned, "expected a request of a load to be given up, but none is")
}
