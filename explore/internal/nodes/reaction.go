package nodes

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.org/doorway/internal/node/history"
	"example.org/doorway/internal/node/host"
	"example.org/doorway/internal/node/notation"
	"example.org/doorway/internal/node/state"
	"example.org/doorway/messaging"
)

// A reaction is what a node does in an event. An [outcome] has the numbers of all of this.
type reaction struct {
	at       position // afterwards
	node     messaging.Node
	entered  bool
	absorbed bool
	epoch    uint64
	mail     [][]messaging.Message // by receiver
	timers   []host.Timer
	emits    []messaging.Message // if NodesConfig.Results is set
}

// react lets a node in the position before o handle its input, with all times later, and calls did with what it does, or
// else sets the error of o. It sets the node to another if it crashes.
func (cs *cells) react(o *outcome, node *messaging.Node, by messaging.Time, b *branch, did func(r reaction)) {
	at := cs.positions[o.before]
	what := cs.event(at.node, o.input, by)
	defer func() {
		o.choices = slices.Clone(b.choices)
		if r := recover(); r != nil {
			e := o.latest(what)
			o.err = history.Panicked(e.node, e.String(), r)
		}
	}()
	r := reaction{at: at, node: *node, mail: make([][]messaging.Message, cs.c.Nodes)}
	switch o.what {
	case crashes:
		*node = cs.restarted(at, *node)
		r.node, r.at.again, r.at.phase = *node, true, messaging.Idle
	case discards, misses:
	default:
		p := cs.seat(*node, at)
		p.branch, p.outcome, p.what = b, o, what
		cs.act(p, o.input, what.message)
		cs.collect(o, &r)
	}
	cs.buf = state.Append(cs.buf[:0], r.node)
	r.at.state = string(cs.buf)
	did(r)
}

// collect adds the effects of the node to r, and what it emits to the events of o.
func (cs *cells) collect(o *outcome, r *reaction) {
	before, after := r.at.phase, cs.site.Phase()
	r.entered = after == messaging.Inside && before != after
	r.absorbed = after == messaging.Idle && before == messaging.Absorbing
	if r.entered || r.absorbed {
		r.epoch = cs.site.Token().Epoch
	}
	r.at.phase, r.timers = after, cs.site.Timers
	for _, s := range cs.site.Sends {
		r.mail[s.To] = append(r.mail[s.To], plain(s.Message))
	}
	for _, t := range r.timers {
		plain(t.Message)
	}
	for _, v := range cs.site.Emits {
		o.events = append(o.events, event{says: "%[1]s emits %[3]s", node: r.at.node, message: v})
		if cs.c.Results == nil {
			continue
		}
		if err := state.CheckMessage(v); err != nil {
			text := fmt.Sprintf("%s emits what is not plain data: %v", named(r.at.node), err)
			panic(history.Breach{Err: &history.Worded{Kind: history.OfNoKind, Text: text}})
		}
		r.emits = append(r.emits, v)
	}
}

// plain returns a message. It panics if that is not plain data.
func plain(m messaging.Message) messaging.Message {
	if err := state.CheckMessage(m); err != nil {
		history.Fail(history.OfNoKind, "%v", err)
	}
	return m
}

// enumerate sets an outcome to the numbers of a reaction.
func (cs *cells) enumerate(o *outcome, r reaction) {
	o.position = cs.position(r.at.node, r.at.again, r.at.phase, r.node, 0)
	o.entered, o.absorbed, o.epoch = r.entered, r.absorbed, r.epoch
	for j, all := range r.mail {
		if len(all) > 0 {
			o.mail = append(o.mail, parcel{messaging.ID(j), cs.parcel(cs.numbersOf(all))})
		}
	}
	for _, t := range r.timers {
		o.timers = append(o.timers, pending{uint64(t.After), cs.message(t.Message)})
	}
	o.emits, o.code = cs.numbersOf(r.emits), slices.Clone(cs.encode(nil, r, 0))
}

func (cs *cells) numbersOf(all []messaging.Message) (numbers []uint32) {
	for _, m := range all {
		numbers = append(numbers, cs.message(m))
	}
	return numbers
}

// recall returns the reaction of an outcome, but for its node, with all times of its position later.
func (cs *cells) recall(o *outcome, by messaging.Time) reaction {
	r := reaction{at: cs.positions[o.position], entered: o.entered, absorbed: o.absorbed, epoch: o.epoch}
	if by != 0 {
		r.at.state = string(state.AppendMapped(nil, cs.node(r.at, 0), cs.laterBy(by)))
	}
	r.mail = make([][]messaging.Message, cs.c.Nodes)
	for _, m := range o.mail {
		for _, n := range cs.parcels[m.parcel] {
			r.mail[m.to] = append(r.mail[m.to], cs.messages[n])
		}
	}
	for _, t := range o.timers {
		r.timers = append(r.timers, host.Timer{After: time.Duration(t.after), Message: cs.messages[t.message]})
	}
	for _, n := range o.emits {
		r.emits = append(r.emits, cs.messages[n])
	}
	return r
}

// encode appends what is the same for equal reactions only, with all times of messages later.
func (cs *cells) encode(data []byte, r reaction, by messaging.Time) []byte {
	later := cs.laterBy(by)
	data = append(binary.AppendUvarint(append(data, byte(r.at.phase)), r.epoch), r.at.state...)
	message := func(m messaging.Message) {
		data = state.AppendMapped(binary.AppendUvarint(data, uint64(cs.kind(m))), m, later)
	}
	for _, all := range append(r.mail, r.emits) {
		data = binary.AppendUvarint(data, uint64(len(all)))
		for _, m := range all {
			message(m)
		}
	}
	for _, t := range r.timers {
		data = binary.AppendUvarint(data, uint64(t.After))
		message(t.Message)
	}
	return data
}

// code encodes the reaction of an outcome, with all times later.
func (cs *cells) code(o *outcome, by messaging.Time) []byte {
	if by == 0 || o.err != nil {
		return o.code
	}
	return cs.encode(nil, cs.recall(o, by), by)
}

// repeat lets a node in the position before an outcome handle its input again, with all times later. It returns what the node
// does, in words; "" if that has the code of the outcome.
func (cs *cells) repeat(o *outcome, node *messaging.Node, by messaging.Time, code []byte) (differs string) {
	var is reaction
	again := &outcome{input: o.input, before: o.before}
	cs.react(again, node, by, &branch{choices: slices.Clone(o.choices)}, func(r reaction) { is, cs.buf = r, cs.encode(cs.buf[:0], r, 0) })
	switch {
	case again.err != nil && o.err != nil:
		return ""
	case again.err != nil:
		return fmt.Sprintf("fail: %v", again.err)
	case o.err == nil && bytes.Equal(cs.buf, code) && slices.Equal(again.choices, o.choices):
		return ""
	}
	return cs.describe(is, 0)
}

// did describes what a node does in an outcome, with all times later.
func (cs *cells) did(o *outcome, by messaging.Time) string {
	if o.err != nil {
		return fmt.Sprintf("fail: %v", o.err)
	}
	return cs.describe(cs.recall(o, by), by)
}

// describe describes a reaction, with all times of messages later.
func (cs *cells) describe(r reaction, by messaging.Time) string {
	var words []string
	for to, all := range r.mail {
		for _, m := range all {
			words = append(words, fmt.Sprintf("send %s to %s", notation.Message(cs.letterLater(m, by)), named(to)))
		}
	}
	for _, t := range r.timers {
		words = append(words, fmt.Sprintf("set a timer of %v", t.After))
	}
	if r.entered || r.absorbed {
		words = append(words, "enter")
		if r.epoch > 0 {
			words = append(words, fmt.Sprintf("in epoch %d", r.epoch))
		}
	}
	return strings.Join(append(words, "go to "+cs.show(r.at)), ", ")
}

// show describes the state of a node in a position.
func (cs *cells) show(at position) string { return state.Format(cs.decode(at), notation.Node) }
