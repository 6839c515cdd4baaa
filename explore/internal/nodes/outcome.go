package nodes

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"example.org/doorway/internal/node/history"
	"example.org/doorway/internal/node/host"
	"example.org/doorway/internal/node/notation"
	"example.org/doorway/internal/node/state"
	"example.org/doorway/messaging"
)

// An outcome is the result of an input. If the node chooses, an input has several.
type outcome struct {
	input
	branch   int    // its number among those
	branches int    // how many there are
	before   uint32 // the position
	position uint32
	mail     []parcel
	timers   []pending
	drawn    []int    // the results of its choices
	choices  []choice // the same, with their ranges
	emits    []uint32 // if NodesConfig.Results is set
	events   []event  // further events: messages of the node to itself, its choices, and what it emits
	entered  bool
	absorbed bool   // entered and left at once, since its user had aborted
	epoch    uint64 // in which it entered
	err      error  // the node panicked
}

// react lets a node that is in the position before o handle its input, with all times later. It sets the node to another if
// that crashes, and calls then with the position afterwards, but for the state, unless the node panics. The site has the effects.
func (cs *cells) react(o *outcome, node *messaging.Node, by messaging.Time, b *branch, then func(after position)) {
	at := cs.positions[o.before]
	what, before := cs.event(at.node, o.input, by), at.phase
	defer func() {
		o.choices = slices.Clone(b.choices)
		if r := recover(); r != nil {
			e := o.latest(what)
			o.err = history.Panicked(e.node, e.String(), r)
		}
	}()
	cs.seat(*node, at, acting{b, o, what})
	switch o.what {
	case crashes:
		*node = cs.restarted(at, *node)
		at.again, at.phase = true, messaging.Idle
	case discards, misses:
	default:
		cs.act(o.input, what.message)
		at.phase = cs.site.Phase()
		o.entered = at.phase == messaging.Inside && before != at.phase
		o.absorbed = at.phase == messaging.Idle && before == messaging.Absorbing
	}
	if o.entered || o.absorbed {
		o.epoch = cs.site.Token().Epoch
	}
	then(at)
}

// latest returns the last event of an outcome in which its node gets a message, or else what it is of.
func (o *outcome) latest(what event) event {
	for _, e := range slices.Backward(o.events) {
		if e.says == toItself {
			return e
		}
	}
	return what
}

// collect sets o to the effects that the site has, and to what its node is then.
func (cs *cells) collect(o *outcome, after position, node messaging.Node) {
	o.position = cs.position(after.node, after.again, after.phase, node, 0)
	sent := make([][]uint32, cs.c.Nodes)
	for _, s := range cs.site.Sends {
		sent[s.To] = append(sent[s.To], cs.message(s.Message))
	}
	for j, messages := range sent {
		if len(messages) > 0 {
			o.mail = append(o.mail, parcel{messaging.ID(j), cs.parcel(messages)})
		}
	}
	for _, t := range cs.site.Timers {
		o.timers = append(o.timers, pending{uint64(t.After), cs.message(t.Message)})
	}
	for _, v := range cs.site.Emits {
		o.events = append(o.events, event{says: "%[1]s emits %[3]s", node: after.node, message: v})
		if cs.c.Results != nil {
			if err := state.CheckMessage(v); err != nil {
				panic(history.Breach{Err: &history.Worded{Kind: history.OfNoKind, Text: fmt.Sprintf("%s emits what is not plain data: %v", named(after.node), err)}})
			}
			o.emits = append(o.emits, cs.message(v))
		}
	}
}

// repeat lets a node in the position before o handle its input again, with all times later: another node than before, or one
// that is restored if node is nil. It returns in words what it does; "" if that is the same.
func (cs *cells) repeat(o *outcome, node *messaging.Node, by messaging.Time) (differs string) {
	was := ""
	if o.err == nil {
		was = cs.stateLater(cs.positions[o.position], by)
	}
	if node == nil {
		restored := cs.node(cs.positions[o.before], by)
		node = &restored
	}
	same := false
	again, b := &outcome{input: o.input, before: o.before}, &branch{choices: slices.Clone(o.choices)}
	cs.react(again, node, by, b, func(after position) {
		cs.buf = state.Append(cs.buf[:0], *node)
		same = o.err == nil && string(cs.buf) == was && after.phase == cs.positions[o.position].phase &&
			again.epoch == o.epoch && slices.Equal(b.choices, o.choices) && cs.same(o, by)
		if !same {
			cs.collect(again, after, *node)
		}
	})
	if same || again.err != nil && o.err != nil {
		return ""
	}
	return cs.did(again, 0)
}

// same reports whether the effects that the site has are those of o, with all times later.
func (cs *cells) same(o *outcome, by messaging.Time) bool {
	later := cs.laterBy(by)
	message := func(n uint32, m any) bool {
		was := cs.messages[n]
		switch {
		case reflect.TypeOf(m) != reflect.TypeOf(was) || state.CheckMessage(m) != nil:
			return false
		case by == 0:
			return cs.message(m) == n
		}
		cs.buf = state.AppendMapped(cs.buf[:0], was, later)
		size := len(cs.buf)
		cs.buf = state.Append(cs.buf, m)
		return bytes.Equal(cs.buf[:size], cs.buf[size:])
	}
	mail := make([][]uint32, cs.c.Nodes)
	for _, m := range o.mail {
		mail[m.to] = cs.parcels[m.parcel]
	}
	for _, s := range cs.site.Sends {
		if len(mail[s.To]) == 0 || !message(mail[s.To][0], s.Message) {
			return false
		}
		mail[s.To] = mail[s.To][1:]
	}
	timer := func(p pending, t host.Timer) bool {
		return p.after == uint64(t.After) && message(p.message, t.Message)
	}
	return !slices.ContainsFunc(mail, func(left []uint32) bool { return len(left) > 0 }) &&
		slices.EqualFunc(o.timers, cs.site.Timers, timer) &&
		(cs.c.Results == nil || slices.EqualFunc(o.emits, cs.site.Emits, message))
}

// did describes what a node does in an outcome, with all times later.
func (cs *cells) did(o *outcome, by messaging.Time) string {
	if o.err != nil {
		return fmt.Sprintf("fail: %v", o.err)
	}
	var words []string
	for _, m := range o.mail {
		for _, n := range cs.parcels[m.parcel] {
			words = append(words, fmt.Sprintf("send %s to %s", notation.Message(cs.letterLater(cs.messages[n], by)), named(m.to)))
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
	return strings.Join(append(words, "go to "+cs.show(cs.positions[o.position], by)), ", ")
}

// show describes the state of a node in a position, with all times later.
func (cs *cells) show(at position, by messaging.Time) string {
	at.state = cs.stateLater(at, by)
	return state.Format(cs.decode(at), notation.Node)
}
