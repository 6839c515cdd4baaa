package nodes

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.org/doorway/internal/node/history"
	"example.org/doorway/internal/node/notation"
	"example.org/doorway/internal/node/state"
	"example.org/doorway/messaging"
)

// A life is a state of a node as one event after another leads to it. A check, which restores a
// node from its encoding before each event, does not see all of that: a slice may be empty but
// not nil, have spare capacity, or share memory with another, and a closure may have
// captured something.
type life struct {
	at    uint32      // the position
	form  *state.Form // nil if nothing that may follow was not tried
	bytes int64       // that it takes
	said  string      // the form
	tried int         // how many of the outcomes that may follow
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
		ls.reach(cs.position(i, false, messaging.Idle, node, 0), cs.formOf(i, node))
	}
	for ; len(ls.ahead) > 0 && !ls.full(); ls.ahead = ls.ahead[1:] {
		for l := ls.ahead[0]; ls.next(l) != nil && !ls.full(); {
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
				node := cs.made(cs.positions[v.position])
				cs.restore(node, cs.positions[v.position])
				ls.step(v.position, node, o, "", nil)
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

// next returns an outcome that may follow, and was not tried; nil if there is none.
func (ls *lives) next(l *life) *outcome {
	if all := ls.follow[ls.earliest(l.at)]; l.tried < len(all) {
		return all[l.tried]
	}
	return nil
}

// lead leads a copy of the node of l through outcomes that were not tried, one after another.
func (ls *lives) lead(l *life) {
	o := ls.next(l)
	at := o.before
	node := ls.made(ls.positions[at])
	by := ls.positions[at].least - ls.positions[l.at].least
	if ls.ranked {
		by = ls.between(ls.timesBefore(visit{position: l.at}), ls.timesBefore(visit{position: at}))
	}
	l.form.Copy(node, ls.laterBy(by))
	var form *state.Form
	var past []*outcome
	ls.shifted = false
	for {
		l.tried++
		ls.stepped[o] = true
		now, possible := ls.from(at, o)
		if !possible || o.err != nil && (at != o.before || len(o.drawn) > 0 || !errors.Is(o.err, history.Panic)) {
			return // an error is reported by itself
		}
		ls.shifted = ls.shifted || at != o.before
		node, form = ls.step(at, node, now, l.said, past)
		if o.err != nil {
			return
		}
		past = append(past[max(0, len(past)-2):], now)
		at = now.position
		l = ls.reach(at, form)
		if o = ls.next(l); o == nil || ls.full() {
			return
		}
		if _, possible := ls.from(at, o); !possible {
			return
		}
	}
}

// reach returns the life of a node that has a form in a position.
func (ls *lives) reach(at uint32, form *state.Form) *life {
	said := form.String()
	key := fmt.Sprint(ls.earliest(at), " ", said)
	l := ls.known[key]
	if l == nil {
		l = &life{at: at, said: said}
		ls.known[key] = l
		ls.bytes += lifeBytes + int64(len(key)+len(said))
		form.Spare(func(slice string, largest uint64) {
			if ls.spare.grows(fmt.Sprint(ls.earliest(at), " ", slice), largest) {
				ls.grown = fmt.Errorf("%w: after equal states of node %d, what is in the spare capacity of the slice %s grows, and there seems to be no end of it: memory behind the length of a slice is no state; clear it, or set the slice to nil", history.State, ls.positions[at].node, slice)
			}
		})
		if ls.next(l) != nil {
			node := ls.made(ls.positions[at])
			l.form, l.bytes = form.Copy(node, nil), state.Bytes(node)
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

// from returns o with its times as they are in a position that differs by a shift, and
// whether its message can arrive there.
func (cs *cells) from(position uint32, o *outcome) (*outcome, bool) {
	if o.before == position {
		return o, true
	}
	by := cs.positions[position].least - cs.positions[o.before].least
	possible := !cs.ranked && (o.what < gets || cs.leasts[o.message] == noTime || int64(cs.leasts[o.message]+by) > 0)
	if !possible {
		return nil, false
	}
	return cs.outcomeLater(cs, o, by), true
}

// step repeats an outcome at a node in a position, and returns the node afterwards, another one if
// it has crashed, with its form. The form before and the past are for what is said if that differs.
func (ls *lives) step(at uint32, node messaging.Node, o *outcome, form string, past []*outcome) (messaging.Node, *state.Form) {
	ls.steps++
	before := ls.positions[at]
	i, what := before.node, func(o *outcome) string { return ls.event(int(before.node), o).String() }
	got := ls.runOn(&node, visit{at, o.input}, &branch{choices: slices.Clone(o.choices)})
	after := ls.formOf(i, node)
	ls.constant(i, before.again || o.what == crashes, node, after, func() string { return what(o) })
	if got.same(o) || o.err != nil && got.err != nil {
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
	text := fmt.Sprintf("%s in state %s: it did %s, %s, %s", what(o), state.Format(ls.decode(before), notation.Node), ls.did(o), again, ls.did(got))
	if ls.shifted {
		panic(history.Breach{Err: fmt.Errorf("NodesConfig.Rounds is Unbounded, and %s is not as it must be then: %w: %s", named(i), errValue, text)})
	}
	history.Fail(history.Nondeterministic, "%s", text)
	return nil, nil
}

// same reports whether two outcomes of an input are equal.
func (o *outcome) same(p *outcome) bool {
	return o.err == nil && o.position == p.position && o.epoch == p.epoch && slices.Equal(o.mail, p.mail) && slices.Equal(o.timers, p.timers) &&
		slices.Equal(o.emits, p.emits) && slices.Equal(o.choices, p.choices)
}

// did describes an outcome.
func (cs *cells) did(o *outcome) string {
	if o.err != nil {
		return fmt.Sprintf("fail: %v", o.err)
	}
	var words []string
	for _, m := range o.mail {
		for _, number := range cs.parcels[m.parcel] {
			words = append(words, fmt.Sprintf("send %s to %s", notation.Message(cs.messages[number]), named(m.to)))
		}
	}
	for _, t := range o.timers {
		words = append(words, fmt.Sprintf("set a timer of %v", time.Duration(t.after)))
	}
	if o.entered || o.absorbed {
		words = append(words, "enter")
		if o.epoch > 0 {
			words = append(words, fmt.Sprintf("in epoch %d", o.epoch))
		}
	}
	return strings.Join(append(words, "go to "+state.Format(cs.decode(cs.positions[o.position]), notation.Node)), ", ")
}
