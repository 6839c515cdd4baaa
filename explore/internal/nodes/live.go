package nodes

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.org/doorway/internal/node/history"
	"example.org/doorway/internal/node/state"
	"example.org/doorway/messaging"
)

// A life is a state of a node as one event after another leads to it. A check, which restores a
// node from its encoding before each event, does not see all of that: a slice may be empty but
// not nil, have spare capacity, or share memory with another, and a closure may have
// captured something.
type life struct {
	at    place
	form  *state.Form // nil if nothing that may follow was not tried
	bytes int64       // that it takes
	said  string      // the form
	left  []*outcome  // those that may follow and were not tried
}

// A place is a position with all times later; by is 0 if there are none.
type place struct {
	position uint32
	by       messaging.Time
}

// A repetition is an outcome with all times later.
type repetition struct {
	*outcome
	by messaging.Time
}

// lives are those of all nodes.
type lives struct {
	*cells
	follow  map[uint32][]*outcome // by earliest position, what may follow
	known   map[string]*life      // by earliest position and form
	ahead   []*life
	bytes   int64 // that they take, about
	steps   int
	stepped map[*outcome]bool
	spare   records // by earliest position and field, of the numbers in its spare capacity
	grown   error   // that some of them grow
	shifted bool    // an outcome was one at other times, so that it may depend on these
}

// mostSteps is how many events are repeated on nodes that live. Those that are left then are
// repeated once, on restored ones, unless a number grows where the states do not have it.
const (
	mostSteps = 100_000
	lifeBytes = 1000 // that a life takes beside its state, about
)

// live repeats each event at a node on nodes that have lived through those before it, in each
// form that their states have then. It returns an error if a node acts differently than a
// restored one, changes what must not change, or its state is memory of another.
func (cs *cells) live() (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = history.Caught(r)
		}
	}()
	ls := lives{cells: cs, follow: map[uint32][]*outcome{}, known: map[string]*life{}, stepped: map[*outcome]bool{}, spare: records{}}
	visits := slices.DeleteFunc(slices.Clone(cs.distinct()), func(v visit) bool { return !cs.handled(v.input) })
	for _, v := range slices.Backward(visits) { // in another order than before
		at := cs.earliest(v.position)
		ls.follow[at] = append(ls.follow[at], cs.outcomes[v]...)
	}
	for i := range messaging.ID(cs.c.Nodes) {
		node := cs.made(position{node: i})
		ls.reach(place{cs.position(i, false, messaging.Idle, node, 0), 0}, cs.formOf(i, node))
	}
	for ; len(ls.ahead) > 0 && !ls.full(); ls.ahead = ls.ahead[1:] {
		for l := ls.ahead[0]; len(l.left) > 0 && !ls.full(); {
			ls.lead(l)
		}
		ls.bytes -= ls.ahead[0].bytes
		ls.ahead[0].form = nil
	}
	if ls.full() && ls.grown != nil {
		return ls.grown
	}
	for _, v := range visits {
		for _, o := range cs.outcomes[v] {
			if !ls.stepped[o] && o.err == nil {
				ls.step(cs.restored(cs.positions[v.position]), repetition{o, 0}, "", nil)
			}
		}
	}
	return nil
}

// full reports whether enough events were repeated.
func (ls *lives) full() bool { return ls.steps >= mostSteps || ls.cells.bytes+ls.bytes >= ls.c.Memory }

// handled reports whether an input is one for a handler of a node, or replaces the node.
func (cs *cells) handled(in input) bool {
	return in.what != drops && in.what != doubles && in.what != discards && in.what != misses && (in.what != crashes || cs.c.Restarts > 0)
}

// earliest returns a position with all times as early as they can be: positions that differ
// by a shift of all times are followed by the same events, shifted.
func (cs *cells) earliest(n uint32) uint32 {
	if !cs.shifts || cs.positions[n].least == noTime {
		return n
	}
	by := 1 - cs.positions[n].least
	if cs.ranked {
		by = cs.between(cs.timesBefore(visit{position: n}), nil)
	}
	return cs.positionLater(n, by)
}

// lead leads a copy of the node of l through outcomes that were not tried, one after another.
func (ls *lives) lead(l *life) {
	at := place{l.left[0].before, 0}
	node := ls.made(ls.positions[at.position])
	by := ls.least(at) - ls.least(l.at)
	if ls.ranked {
		by = ls.between(ls.timesBefore(visit{position: l.at.position}), ls.timesBefore(visit{position: at.position}))
	}
	l.form.Copy(node, ls.laterBy(by))
	var form *state.Form
	var past []repetition
	ls.shifted = false
	for len(l.left) > 0 && !ls.full() {
		o := l.left[0]
		by, possible := ls.from(at, o)
		if !possible {
			return
		}
		l.left = l.left[1:]
		ls.stepped[o] = true
		if o.err != nil && (by != 0 || len(o.drawn) > 0 || !errors.Is(o.err, history.Panic)) {
			return // an error is reported by itself
		}
		ls.shifted = ls.shifted || by != 0
		now := repetition{o, by}
		node, form = ls.step(node, now, l.said, past)
		if o.err != nil {
			return
		}
		past = append(past[max(0, len(past)-2):], now)
		if at = (place{o.position, by}); ls.positions[at.position].least == noTime {
			at.by = 0
		}
		l = ls.reach(at, form)
	}
}

// least returns the least time in a place.
func (ls *lives) least(at place) messaging.Time { return ls.positions[at.position].least + at.by }

// reach returns the life of a node that has a form in a position.
func (ls *lives) reach(at place, form *state.Form) *life {
	said, earliest := form.String(), ls.earliest(at.position)
	key := fmt.Sprint(earliest, " ", said)
	l := ls.known[key]
	if l == nil {
		l = &life{at: at, said: said, left: ls.follow[earliest]}
		ls.known[key] = l
		ls.bytes += lifeBytes + int64(len(key)+len(said))
		form.Spare(func(slice string, largest uint64) {
			if ls.spare.grows(fmt.Sprint(earliest, " ", slice), largest) {
				ls.grown = fmt.Errorf("%w: after equal states of node %d, what is in the spare capacity of the slice %s grows, and there seems to be no end of it: memory behind the length of a slice is no state; clear it, or set the slice to nil", history.State, ls.positions[at.position].node, slice)
			}
		})
		if len(l.left) > 0 {
			node := ls.made(ls.positions[at.position])
			form.Copy(node, nil)
			l.form, l.bytes = ls.formOf(ls.positions[at.position].node, node), state.Bytes(node)
			ls.bytes += l.bytes
			ls.ahead = append(ls.ahead, l)
		}
	}
	return l
}

// formOf returns the form of node i.
func (cs *cells) formOf(i messaging.ID, node messaging.Node) *state.Form {
	form, err := state.FormOf(node)
	if err != nil {
		history.Fail(history.State, "of %s: %v", named(i), err)
	}
	return form
}

// from returns by how much later the times of an outcome are in a place, and whether its message can arrive there.
func (ls *lives) from(at place, o *outcome) (by messaging.Time, possible bool) {
	if ls.ranked {
		return 0, o.before == at.position
	}
	by = ls.least(at) - ls.positions[o.before].least
	return by, by == 0 || o.what < gets || ls.leasts[o.message] == noTime || int64(ls.leasts[o.message]+by) > 0
}

// step repeats an outcome at a node in its position, and returns the node afterwards, another one if it has crashed, with
// its form. The form before and the past are for what is said if that differs.
func (ls *lives) step(node messaging.Node, now repetition, form string, past []repetition) (messaging.Node, *state.Form) {
	ls.steps++
	at := ls.positions[now.before]
	what := func(o repetition) string { return ls.event(at.node, o.input, o.by).String() }
	is := ls.repeat(now.outcome, &node, now.by)
	after := ls.formOf(at.node, node)
	ls.constant(at.node, at.again || now.what == crashes, node, after, func() string { return what(now) })
	if is == "" {
		return node, after
	}
	again := "but again"
	if form != "" {
		again = "but if in that state " + form
	}
	if len(past) > 0 {
		again += ", after "
		for _, before := range past {
			again += what(before) + ", "
		}
		again = strings.TrimSuffix(again, ", ")
	}
	text := fmt.Sprintf("%s in state %s: it did %s, %s, %s", what(now), ls.show(at, now.by), ls.did(now.outcome, now.by), again, is)
	if ls.shifted {
		panic(history.Breach{Err: fmt.Errorf("NodesConfig.Rounds is Unbounded, and %s is not as it must be then: %w: %s", named(at.node), errValue, text)})
	}
	history.Fail(history.Nondeterministic, "%s", text)
	return nil, nil
}
