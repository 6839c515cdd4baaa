package sim

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"example.org/doorway/internal/node/action"
	"example.org/doorway/internal/node/history"
	"example.org/doorway/internal/node/notation"
	"example.org/doorway/internal/node/steps"
	"example.org/doorway/messaging"
)

// Failure classifies an error of [Run], nodetest.Run, nodetest.Check or explore.CheckNodes. It
// returns "" if err is nil or any other error, such as that of an invalid Config.
//
//	exclusion   two nodes are inside that exclude each other
//	deadlock    a request is pending, no node is inside that it waits for, and no message,
//	            timer or request is still to come
//	endless     the run would not end: a request is pending for longer than
//	            Config.Patience, messages go on forever, time does not pass for 1<<28 events
//	            (a minute), or requests are given up again and again and no node enters
//	panic       a node panics, which is a verdict of explore.CheckNodes and no error; or
//	            the algorithm does, or returns nil, when it is to make a node
//	invariant   Invariant returns an error for the nodes and the messages in transit
//	results     Results returns an error for what the nodes have emitted
//
// Run alone measures:
//
//	overflow    the clock or a sum of measured times exceeds a time.Duration, so
//	            that the measures would be wrong
//
// The following are found by package nodetest, most of them by nodetest.Check only, and partly by
// explore.CheckNodes:
//
//	fencing            an entry has no larger token than one before it that it excludes: it does
//	                   not follow from that by messages, and with other delays both would be inside
//	state              the state of a node is not plain data
//	unexported         an unexported field of a node has changed
//	shared             the state of a node changed outside its handlers
//	nondeterministic   a handler behaves differently in equal states
//	kind               a message is not of a listed kind, or is not plain data
//	refusal            an impossible message was not rejected correctly
//	optional           a node has other optional interfaces than at first
//	excludes           Excludes of a Sharer is not symmetric, or it changes
//	late               an Out was used after its handler had returned
//	unsent             a listed kind of message was never sent
func Failure(err error) string { return history.Kind(err) }

// Fail ends the run with an error, unless it has one already. It is a method of [steps.Host].
func (s *simulation) Fail(err error) {
	if s.err == nil && err != nil {
		s.err = &failed{s.Now, err}
	}
}

// A failed run has failed at that time.
type failed struct {
	at time.Duration
	error
}

func (f *failed) Error() string { return fmt.Sprintf("at %s T: %v", inT(f.at), f.error) }
func (f *failed) Unwrap() error { return f.error }

func (s *simulation) fail(format string, args ...any) { s.Fail(fmt.Errorf(format, args...)) }

// hold fails the run if the invariant is violated.
func (s *simulation) hold() {
	if s.err == nil {
		s.Fail(s.Hold())
	}
}

// failure returns the error that ended the run, or that of a deadlock, which only the
// caller of a Simulation can still resolve. Otherwise it returns nil.
func (s *simulation) failure() error {
	err := s.err
	if err == nil && s.stuck() {
		err = &failed{s.Last, fmt.Errorf("%w: %s", history.Stuck, s.waitingText())}
	}
	if err == nil && s.c.Results != nil && s.done() && !s.over {
		if wrong := s.Judge(true); wrong != nil {
			err = &failed{s.Last, wrong}
		}
	}
	if err != nil {
		return fmt.Errorf("sim: %w", err)
	}
	return nil
}

// stuck reports whether a request is pending, no node is inside that it waits for, and
// nothing is still to come.
func (s *simulation) stuck() bool {
	return s.waiting.count+s.absorbing > 0 && s.done() && !s.over && s.Graph.Idle(s.Waiting(), s.Inside)
}

// done reports whether nothing is still to come. What a caller has not had happen may be without
// effect: an input for a node that is down.
func (s *simulation) done() bool {
	if s.queue.book == nil {
		return s.queue.empty()
	}
	return s.queue.book.Index(s.effective) < 0
}

// doing returns what the node does that acts.
func (s *simulation) doing() string {
	e := messaging.Event{Action: action.Started, From: s.Acting, To: s.Acting}
	if !s.Starting && s.event != nil {
		e.Action, e.From, e.Message = s.event.Kind.Action(), messaging.ID(s.event.From), s.event.Message
	}
	return notation.Event(e)
}

// maxAtOneTime is how many events may have the same time.
var maxAtOneTime = 1 << 28

// measure adds d to t. A sum that overflows ends the run, because it would be wrong.
func (s *simulation) measure(t *Times, d time.Duration) {
	if d > steps.EndOfTime-t.Sum {
		s.fail("%w: the measured times add up to more than %s T", history.Overflow, inT(steps.EndOfTime))
		return
	}
	t.add(d)
}

// maxFruitless is how many requests in a row may be given up: a run in which all are may have
// no other end. Each node adds some, because at the start all ask before any can enter.
var maxFruitless = 1 << 20

// impatient reports whether patience ends before the time at, and records the error.
func (s *simulation) impatient(at time.Duration) bool {
	since := s.lastUse
	switch {
	case s.waiting.count > 0:
		since = s.users[s.waiting.seats[s.waiting.head]].asked
	case s.upcoming+s.returning > 0:
		since = at
	}
	s.deadline = steps.Sum(since, s.c.Patience)
	if at <= s.deadline {
		return false
	}
	if s.waiting.count > 0 {
		s.err = &failed{at, fmt.Errorf("%w: %s", history.Unending, s.waitingText())}
	} else {
		s.err = &failed{at, fmt.Errorf("%w: no request since %s T, but messages or timers go on; if the algorithm never comes to rest, set Config.Perpetual", history.Unending, inT(since))}
	}
	return true
}

// waitingText lists the waiting nodes, longest wait first.
func (s *simulation) waitingText() string {
	all := s.Waiting()
	slices.SortStableFunc(all, func(i, j messaging.ID) int { return cmp.Compare(s.users[i].asked, s.users[j].asked) })
	var parts []string
	for _, i := range all {
		parts = append(parts, fmt.Sprintf("%s has been %v since %s T", name(i), s.Sites[i].Phase(), inT(s.users[i].asked)))
	}
	return some(10, parts)
}
