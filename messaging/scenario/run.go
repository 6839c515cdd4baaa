package scenario

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
)

// An observer notes what happens in a run, as far as a scenario can show it.
type observer struct {
	*Scenario
	events int
	last   sim.Event
	trace  strings.Builder
	note   func(sim.Event) // into trace

	requests []*request
	entered  []*request // in the order of entry
	current  []*request // by node

	sent  int
	kinds []sim.Count
	used  []bool // by exception
}

// A request is what its node does with it: asks at 0, enters at 2.
type request struct {
	node    messaging.ID
	asked   time.Duration
	deeds   []string
	entered bool
	over    bool
}

func newObserver(s *Scenario) *observer {
	o := &observer{
		Scenario: s,
		current:  make([]*request, s.setting.Nodes),
		used:     make([]bool, len(s.exceptions)),
	}
	o.note = sim.Trace(&o.trace)
	return o
}

// mostEvents is more than anybody would follow. A broken algorithm may send
// messages for ever, and then it is what ends the run.
const mostEvents = 1_000_000

// patience is what all nodes take who enter one after the other, with the longest
// times that a file can give.
const patience = 4 * mostNodes * longest * sim.T

// tooMany stops a run that has too many events: nothing but a panic can.
type tooMany struct{}

func (o *observer) run(c sim.Config) (r sim.Report, err error) {
	defer func() {
		switch v := recover().(type) {
		case nil:
		case tooMany:
			err = fmt.Errorf("expected a run of at most %d events, and at %s it has more", mostEvents, inT(o.last.At))
		default:
			panic(v)
		}
	}()
	c.Observe, c.Order, c.Pairs = o.observe, true, true
	c.Patience = patience
	return sim.Run(c)
}

func (o *observer) observe(e sim.Event) {
	o.last = e
	if o.events++; o.events > mostEvents {
		panic(tooMany{})
	}
	if e.At >= o.from && slices.Contains(o.sections, "events") {
		o.note(e)
	}
	r := o.current[e.From]
	switch e.What {
	case sim.Requested:
		r = &request{node: e.From, asked: e.At}
		o.current[e.From] = r
		o.requests = append(o.requests, r)
		r.does("asks", e)
	case sim.Entered:
		r.does("enters", e)
		r.entered = true
		o.entered = append(o.entered, r)
	case sim.Left:
		r.ends("leaves", e)
	case sim.GaveUp:
		r.ends("gives up", e)
	case sim.Crashed:
		if r != nil && !r.over {
			r.ends("crashes", e)
		}
	case sim.Sent:
		o.count(e)
	}
}

func (r *request) does(verb string, e sim.Event) {
	r.deeds = append(r.deeds, verb+" at "+inT(e.At))
}

func (r *request) ends(verb string, e sim.Event) {
	r.does(verb, e)
	r.over = true
}

func (o *observer) count(e sim.Event) {
	kind := messaging.Kind(e.Message)
	for k, x := range o.config.Except {
		o.used[k] = o.used[k] || isOf(x, kind, e.From, e.To)
	}
	if e.At < o.from {
		return
	}
	o.sent++
	k := slices.IndexFunc(o.kinds, func(c sim.Count) bool { return c.Kind == kind })
	if k < 0 {
		k = len(o.kinds)
		o.kinds = append(o.kinds, sim.Count{Kind: kind})
	}
	o.kinds[k].Sent++
}

// unused is an error if a latency or loss holds for no message that was sent.
func (o *observer) unused() error {
	if k := slices.Index(o.used, false); k >= 0 {
		return o.errorAt(o.exceptions[k], fmt.Errorf("expected messages %s, and none was sent", messagesOf(o.config.Except[k])))
	}
	return nil
}

// failure puts into words how a run fails. What is no failure of the algorithm
// is an error still.
func (o *observer) failure(r sim.Report, err error) (string, error) {
	at := "fails at " + inT(r.Time) + ": "
	switch {
	case err == nil:
		return "", nil
	case errors.Is(err, sim.ErrStuck):
		return at + sim.ErrStuck.Error() + names(o.waiting()), nil
	case errors.Is(err, sim.ErrEndless):
		return at + sim.ErrEndless.Error() + names(o.waiting()), nil
	case errors.Is(err, sim.ErrExclusion):
		return at + sim.ErrExclusion.Error() + names(o.inside()), nil
	case errors.Is(err, sim.ErrPanic):
		_, why, _ := strings.Cut(err.Error(), sim.ErrPanic.Error())
		return at + sim.ErrPanic.Error() + fromZero + why, nil
	}
	return "", err
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

// inside are the nodes that are inside, the last to enter being the last, even if
// it entered for nobody.
func (o *observer) inside() []messaging.ID {
	var ids []messaging.ID
	for _, r := range o.entered {
		if !r.over {
			ids = append(ids, r.node)
		}
	}
	if o.last.What == sim.Passed {
		ids = append(ids, o.last.From)
	}
	return ids
}

// names is what stands behind a failure: nothing, or who is concerned.
func names(ids []messaging.ID) string {
	separator, s := ": ", ""
	for _, i := range ids {
		s += separator + name(i)
		separator = ", "
	}
	return s
}

func name(i messaging.ID) string { return fmt.Sprintf("S%d", i+1) }

// isOf says whether x is of such a message.
func isOf(x sim.Exception, kind string, from, to messaging.ID) bool {
	return (x.Kind == "" || x.Kind == kind) &&
		(x.From == nil || x.From[0] == from) &&
		(x.To == nil || x.To[0] == to)
}

// messagesOf names the messages that x is of, as a scenario does.
func messagesOf(x sim.Exception) string {
	end := func(ids []messaging.ID) string {
		if ids == nil {
			return "*"
		}
		return name(ids[0])
	}
	return strings.TrimSpace(x.Kind + " " + end(x.From) + "->" + end(x.To))
}
