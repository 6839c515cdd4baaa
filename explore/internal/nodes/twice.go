package nodes

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"example.org/doorway/internal/history"
	"example.org/doorway/internal/state"
	"example.org/doorway/internal/wrap"
	"example.org/doorway/messaging"
)

// mostPairs is the maximum number of pairs of events that twice repeats, and longest the
// maximum length of a sequence.
const (
	mostPairs = 50_000
	longest   = 12
)

// twice repeats each event at a node, and after it each of those that may follow at that
// node, on a new node that is not restored in between. It goes on as long as the state of
// that node shares memory with a message that it has sent or received, or within itself. It
// returns an error if that node acts differently, or if such a message changes: a check,
// which runs a node once for each of its states and restores it before, does not see that. Of
// more pairs than mostPairs, it repeats the first event of each, and some of the second.
func (cs *cells) twice() (err error) {
	defer func() { err = history.Broken(recover()) }()
	then, pairs := map[uint32][]*outcome{}, 0
	visits := slices.DeleteFunc(slices.Clone(cs.visits), func(v visit) bool { return !v.input.handled() })
	for _, v := range visits {
		at := cs.earliest(v.position)
		then[at] = append(then[at], cs.outcomes[v]...)
	}
	for _, v := range visits {
		for _, o := range cs.outcomes[v] {
			pairs += len(cs.follow(then, o))
		}
	}
	stride := pairs/mostPairs + 1
	for k, v := range slices.Backward(visits) { // in another order than before
		for _, first := range cs.outcomes[v] {
			if t := cs.retrace(v.position, first); t != nil && t.shares() {
				s := sequences{cs, v.position, then, map[*outcome]bool{}}
				s.extend(first)
			}
			for j, second := range cs.follow(then, first) {
				if first.err == nil && (j+k)%stride == 0 {
					cs.retrace(v.position, first, second)
				}
			}
		}
	}
	return nil
}

// earliest returns a position with all times as early as they can be: positions that differ
// by a shift of all times are followed by the same events, shifted.
func (cs *cells) earliest(n uint32) uint32 {
	if !cs.shifts || cs.positions[n].least == noTime {
		return n
	}
	return cs.positionLater(n, 1-cs.positions[n].least)
}

// follow returns the outcomes of events that may follow o at its node; then has them by
// earliest position.
func (cs *cells) follow(then map[uint32][]*outcome, o *outcome) []*outcome {
	return then[cs.earliest(o.position)]
}

// from returns o with its times as they are in a position that differs by a shift, and
// whether its message can arrive there.
func (cs *cells) from(position uint32, o *outcome) (*outcome, bool) {
	if o.before == position {
		return o, true
	}
	by := cs.positions[position].least - cs.positions[o.before].least
	possible := o.what < gets || cs.leasts[o.message] == noTime || int64(cs.leasts[o.message]+by) > 0
	if !possible {
		return nil, false
	}
	return cs.outcomeLater(cs, o, by), true
}

// sequences are those of the events at a node from a position.
type sequences struct {
	*cells
	from uint32
	then map[uint32][]*outcome
	seen map[*outcome]bool
}

// extend repeats sequences that begin with the given one, after which the node shares
// memory, as long as it does: each event once.
func (s *sequences) extend(sequence ...*outcome) {
	last := sequence[len(sequence)-1]
	if last.err != nil || len(sequence) == longest {
		return
	}
	for _, next := range s.follow(s.then, last) {
		if s.seen[next] || len(s.seen) == mostPairs/100 {
			continue
		}
		s.seen[next] = true
		longer := append(slices.Clone(sequence), next)
		if t := s.retrace(s.from, longer...); t != nil && t.shares() {
			s.extend(longer...)
		}
	}
}

// handled reports whether an input is one for a handler of a node that is up.
func (in input) handled() bool {
	return in.what != crashes && in.what != restarts && in.what != drops && in.what != doubles && in.what != discards
}

// retrace repeats successive outcomes on a new node in a position, and panics with a breach
// if it differs. It returns that node, or nil if an outcome is a panic.
func (cs *cells) retrace(from uint32, outcomes ...*outcome) *tracked {
	at := cs.positions[from]
	node := cs.made(at)
	cs.restore(node, at)
	t := &tracked{Whole: wrap.Around(node)}
	for k, o := range outcomes {
		if o.err != nil {
			return nil // it is reported by itself
		}
		o, possible := cs.from(from, o)
		if !possible {
			return nil
		}
		got := cs.repeat(t, at, o)
		if errors.Is(got.err, history.OfNoKind) {
			panic(history.Breach{Err: got.err}) // of a message to itself
		}
		if !got.same(o) {
			after := ""
			if k > 0 {
				after = "; before that, " + cs.event(int(at.node), outcomes[k-1]).String()
			}
			history.Fail(history.Twice, "%s in state %s: it did %s, but again, %s%s", cs.event(int(at.node), o),
				state.Format(cs.decode(cs.positions[from]), nil), cs.did(o), cs.did(got), after)
		}
		t.unchanged()
		at, from = cs.positions[o.position], o.position
	}
	return t
}

// repeat runs a node in a position with the input and the choices of o.
func (cs *cells) repeat(t *tracked, at position, o *outcome) (got *outcome) {
	got = &outcome{input: o.input}
	defer func() {
		if r := recover(); r != nil {
			got.err = history.Caught(r)
		}
	}()
	b := &branch{choices: slices.Clone(o.choices)}
	p := cs.seat(t, at, b, got)
	var m messaging.Message
	if o.what >= gets {
		m = state.CloneMessage(cs.messages[o.message])
		t.note(m)
	}
	cs.act(p, o.input, m, got)
	got.choices = b.choices
	got.position = cs.position(at.node, at.again, cs.site.Phase(), t.Node, 0)
	cs.collect(at, got)
	return got
}

// same reports whether two outcomes of an input are equal.
func (o *outcome) same(p *outcome) bool {
	return o.err == nil && o.position == p.position && slices.Equal(o.mail, p.mail) && slices.Equal(o.timers, p.timers) &&
		slices.Equal(o.emits, p.emits) && slices.Equal(o.choices, p.choices)
}

// did describes an outcome.
func (cs *cells) did(o *outcome) string {
	if o.err != nil {
		return fmt.Sprintf("panic with: %v", o.err)
	}
	var words []string
	for _, m := range o.mail {
		for _, number := range cs.parcels[m.parcel].messages {
			words = append(words, fmt.Sprintf("send %s to %d", state.Format(cs.messages[number], nil), m.to))
		}
	}
	for _, t := range o.timers {
		words = append(words, fmt.Sprintf("set a timer of %v", t.after))
	}
	if o.entered || o.absorbed {
		words = append(words, "enter")
	}
	return strings.Join(append(words, "go to "+state.Format(cs.decode(cs.positions[o.position]), nil)), ", ")
}

// A tracked node wraps a node, and notes the messages that it sends and receives.
type tracked struct {
	wrap.Whole
	letters []letter
}

// A letter is a message, with a copy of what it was.
type letter struct{ message, was messaging.Message }

func (t *tracked) note(m messaging.Message) {
	if err := state.CheckMessage(m); err != nil {
		history.Fail(history.OfNoKind, "%v", err)
	}
	t.letters = append(t.letters, letter{m, state.CloneMessage(m)})
}

// unchanged panics with a breach if one of the messages has changed.
func (t *tracked) unchanged() {
	for _, l := range t.letters {
		if !state.Equal(l.message, l.was) {
			history.Fail(history.Changed, "it was %s and is now %s", state.Format(l.was, nil), state.Format(l.message, nil))
		}
	}
}

// shares reports whether the state of the node shares memory with a letter, or two parts of it
// do with each other.
func (t *tracked) shares() bool {
	var of, in spans
	of.reach(reflect.ValueOf(t.Node))
	for _, l := range t.letters {
		in.reach(reflect.ValueOf(l.message))
	}
	for k, s := range of {
		if slices.ContainsFunc(of[:k], s.overlaps) || slices.ContainsFunc(in, s.overlaps) {
			return true
		}
	}
	return false
}

func (t *tracked) Start(out messaging.Out)    { t.Whole.Start(noted{out, t}) }
func (t *tracked) Request(out messaging.Out)  { t.Whole.Request(noted{out, t}) }
func (t *tracked) Release(out messaging.Out)  { t.Whole.Release(noted{out, t}) }
func (t *tracked) Withdraw(out messaging.Out) { t.Whole.Withdraw(noted{out, t}) }

func (t *tracked) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	t.Node.Receive(from, m, noted{out, t})
}

// A noted Out notes what is sent by it.
type noted struct {
	messaging.Out
	by *tracked
}

func (o noted) Send(to messaging.ID, m messaging.Message) {
	o.by.note(m)
	o.Out.Send(to, m)
}

func (o noted) After(d time.Duration, m messaging.Message) {
	o.by.note(m)
	o.Out.After(d, m)
}
