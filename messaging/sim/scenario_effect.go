package sim

import (
	"cmp"
	"errors"
	"fmt"
	"hash/maphash"
	"slices"
	"time"

	"example.org/doorway/internal/notation"
	"example.org/doorway/messaging"
)

// An unusedLine had no effect on the run.
type unusedLine struct {
	line     int
	expected string // what it requires, and what there was
}

// withoutEffect returns an error for the first line that had no effect on the run,
// which measured r and failed with err, or nil.
func (o *observer) withoutEffect(r Report, err error, lookup lookup) error {
	all := o.unusedExceptions(err)
	if o.given[aRun] == 0 && (err == nil || errors.Is(err, errStuck)) { // otherwise it was cut short
		all = slices.Concat(all, o.unusedRequests(r, err), o.unusedInputs(r), o.unusedCrashes(r), o.unusedDetection(), o.unusedPace(), o.unusedHolder(lookup), o.unusedGlimpses(r), o.unusedChances())
	}
	if len(all) == 0 {
		return nil
	}
	first := slices.MinFunc(all, func(a, b unusedLine) int { return cmp.Compare(a.line, b.line) })
	return o.errorAt(first.line, errors.New(first.expected))
}

func (o *observer) unusedExceptions(err error) (all []unusedLine) {
	if line := o.given["latency"]; line > 0 && !o.usedDefault {
		all = append(all, unusedLine{line, "expected messages to which no other line applies, but none was sent"})
	}
	for k, x := range o.config.Except {
		if o.used[k] {
			continue
		}
		why := "none was sent"
		switch {
		case o.shadowed[k] > 0:
			why = fmt.Sprintf("line %d applies to those that were sent", o.shadowed[k])
		case o.matched[k] > 0:
			why = fmt.Sprintf("only %d of these were sent", o.matched[k])
		}
		if err != nil {
			why += " before the run failed"
		}
		all = append(all, unusedLine{o.given[exceptionOf(x)], "expected messages " + messagesOf(x) + ", but " + why})
	}
	return all
}

// stepsOf returns the requests of each node in the order in which it makes them.
func (s *Scenario) stepsOf() [][]Request {
	steps := make([][]Request, s.setting.Nodes)
	script, _ := s.config.Load.(Script)
	for _, q := range script {
		steps[q.Node] = append(steps[q.Node], q)
	}
	for _, of := range steps {
		slices.SortFunc(of, func(a, b Request) int { return cmp.Compare(a.At, b.At) })
	}
	return steps
}

// made records that node i asks: its first request that it would not have given up by
// then.
func (o *observer) made(i messaging.ID, at time.Duration) {
	for len(o.steps[i]) > 0 {
		q := o.steps[i][0]
		o.steps[i] = o.steps[i][1:]
		if q.GiveUp == 0 || q.GiveUp > at {
			return
		}
		o.unmade = append(o.unmade, o.askedTooLate(q))
	}
}

// askedTooLate returns the unused line of a request that would have been given up
// before the previous one of its node was over.
func (o *observer) askedTooLate(q Request) unusedLine {
	before := o.current[q.Node]
	return o.unusedRequest(q, "its request made at %s is over only at %s", inT(before.asked), inT(before.end))
}

func (o *observer) unusedRequest(q Request, why string, args ...any) unusedLine {
	expected := fmt.Sprintf("expected %s to ask at %s", name(q.Node), inT(q.At))
	if q.GiveUp != 0 {
		expected += fmt.Sprintf(", or at least before %s", inT(q.GiveUp))
	}
	return unusedLine{o.given[requestOf(q.Node, q.At)], expected + ", but " + fmt.Sprintf(why, args...)}
}

func (o *observer) unusedRequests(r Report, err error) []unusedLine {
	all := o.unmade
	for i, steps := range o.steps {
		before := o.current[i]
		crash, crashed := o.crashes[messaging.ID(i)], o.down[messaging.ID(i)]
		for _, q := range steps {
			switch {
			case crashed:
				all = append(all, o.unusedRequest(q, "it crashes at %s", inT(crash)))
			case before != nil && !before.over && err != nil:
				// the failure explains it
			case before != nil && !before.over:
				all = append(all, o.unusedRequest(q, "its request made at %s is not over when the run ends at %s", inT(before.asked), inT(r.Time)))
			case before != nil && q.GiveUp != 0 && q.GiveUp <= before.end:
				all = append(all, o.askedTooLate(q))
			default:
				all = append(all, o.unusedRequest(q, "the run ends at %s", inT(r.Time)))
			}
		}
	}
	if err == nil && o.config.Until == 0 && r.Entries < o.config.Entries {
		all = append(all, unusedLine{o.given[aLoad], fmt.Sprintf("expected %d entries, but crashes leave only %d", o.config.Entries, r.Entries)})
	}
	return all
}

func (o *observer) unusedCrashes(r Report) (all []unusedLine) {
	for _, c := range o.config.Crashes {
		what, at := "crash", c.At
		switch _, crashed := o.crashes[c.Node]; {
		case crashed && (c.Restart == 0 || !o.down[c.Node]):
			continue
		case crashed:
			what, at = "restart", c.Restart
		}
		all = append(all, unusedLine{
			o.given[crashOf(c.Node)],
			fmt.Sprintf("expected %s to %s at %s, but the run ends at %s", name(c.Node), what, inT(at), inT(r.Time)),
		})
	}
	return all
}

func (o *observer) unusedDetection() []unusedLine {
	line := o.given[aDetection]
	switch {
	case line == 0 || o.told:
		return nil
	case len(o.crashes) == 0:
		return []unusedLine{{line, "expected a crash to detect, but no node crashes"}}
	}
	return []unusedLine{{line, "expected a node to learn of a crash, but none does"}}
}

// unusedHolder finds out whether the holder matters, by a second run with another.
func (o *observer) unusedHolder(lookup lookup) []unusedLine {
	line, n := o.given[aHolder], messaging.ID(o.setting.Nodes)
	if line == 0 || n == 1 {
		return nil
	}
	other := messaging.ID(0) // the default holder
	if o.setting.Holder == other {
		other++
	}
	algorithm, err := o.algorithmFor(lookup, other)
	if err != nil {
		return nil // it matters
	}
	second := newObserver(o.Scenario)
	second.fingerprints.first = o.fingerprints.all
	_, err = second.run(algorithm, other)
	if errors.Is(err, errOther) || len(second.fingerprints.all) != len(o.fingerprints.all) {
		return nil
	}
	expected := fmt.Sprintf("expected the holder %s to matter, but with %s the run is the same", name(o.setting.Holder), name(other))
	return []unusedLine{{line, expected}}
}

// fingerprints identify the events of a run that is to be compared with another.
type fingerprints struct {
	kept  bool
	all   []uint64
	first []uint64 // of the first run, if this is the second
}

var seed = maphash.MakeSeed()

// errOther ends a second run that differs from the first.
var errOther = errors.New("another event than in the first run")

func (f *fingerprints) note(e messaging.Event) {
	if !f.kept {
		return
	}
	f.all = append(f.all, maphash.String(seed, inT(e.At)+" "+notation.Event(e)))
	if n := len(f.all); f.first != nil && (n > len(f.first) || f.first[n-1] != f.all[n-1]) {
		panic(stop{errOther})
	}
}
