package nodetest

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"example.org/doorway/internal/state"
	"example.org/doorway/messaging"
)

// Check runs the schedules like Run, and checks nodes and messages against the
// contract of [messaging.Node] and [messaging.Message] in each event:
//
//   - The state of a node is plain data and is complete: a new node with the same
//     start, restored to the same state, has the same effects and the same next state.
//     Only handlers change it. Unexported fields do not change.
//   - A message, including those to the node itself and of timers, is of one of kinds
//     and plain data. Neither its sender nor its receiver changes it.
//   - A node panics on a message of an unknown kind. A panic leaves the node
//     unchanged. Zero messages of the kinds are tried in every state too; a node may
//     accept them, but it must not enter by one without a request.
//   - Each of the kinds is sent in some schedule.
//
// Pass all schedules in one call: a kind may be sent in some of them only, for example
// with withdrawals, or with more than one node.
//
// [Failure] classifies the error. A seed determines the same schedule as with Run, but
// Check takes about fifty times as long.
func Check(a messaging.Algorithm, kinds []messaging.Message, schedules ...Config) error {
	w, err := newWatch(a, kinds)
	if err != nil {
		return err
	}
	for _, c := range schedules {
		w.envelopes = nil
		if err := run(w.node, w.algorithm, c); err != nil {
			return err
		}
		for _, l := range w.envelopes {
			if err := l.changed(); err != nil {
				return fmt.Errorf("seed %d: %w", c.Seed, err)
			}
		}
	}
	return w.neverSent()
}

// A breach is the panic value of a watched node that violates its contract.
type breach struct{ error }

// fail panics with a breach.
func fail(kind error, format string, args ...any) {
	panic(breach{fmt.Errorf("%w: %s", kind, fmt.Sprintf(format, args...))})
}

// A watch creates watched nodes of an algorithm.
type watch struct {
	algorithm messaging.Algorithm
	kinds     []messaging.Message
	codec     *state.Messages
	sent      []bool      // by kind
	envelopes []*envelope // all that were sent in this schedule
}

func newWatch(a messaging.Algorithm, kinds []messaging.Message) (w *watch, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %v", errKind, r)
		}
	}()
	return &watch{algorithm: a, kinds: kinds, codec: state.NewMessages(kinds...), sent: make([]bool, len(kinds))}, nil
}

func (w *watch) neverSent() error {
	var never []string
	for k, sent := range w.sent {
		if !sent {
			never = append(never, fmt.Sprintf("%T", w.kinds[k]))
		}
	}
	if len(never) > 0 {
		return fmt.Errorf("%w: %s", errNotSent, strings.Join(never, ", "))
	}
	return nil
}

// An envelope is a message with its encoding at the time when it was sent.
type envelope struct {
	watch   *watch
	message messaging.Message
	data    []byte
}

// contents returns the message in m, which may be an envelope.
func contents(m messaging.Message) messaging.Message {
	if l, ok := m.(*envelope); ok {
		return l.message
	}
	return m
}

func (w *watch) envelope(m messaging.Message) *envelope {
	data, err := w.codec.Append(nil, m)
	if err != nil {
		fail(errKind, "%v", err)
	}
	if decoded, err := w.codec.Decode(data); err != nil || !state.Equal(decoded, m) {
		fail(errKind, "%T is %s, but decodes as %s, %v", m, state.Format(m, nil), state.Format(decoded, nil), err)
	}
	w.sent[w.codec.Kind(m)] = true
	l := &envelope{w, m, data}
	w.envelopes = append(w.envelopes, l)
	return l
}

func (l *envelope) changed() error {
	data, err := l.watch.codec.Append(nil, l.message)
	if err == nil && string(data) == string(l.data) {
		return nil
	}
	return fmt.Errorf("%w: it was %s and is now %s", errChanged, state.Format(l.copied(), nil), state.Format(l.message, nil))
}

// copied returns a copy of the message as it was sent.
func (l *envelope) copied() messaging.Message {
	m, err := l.watch.codec.Decode(l.data)
	if err != nil {
		fail(errKind, "%v", err)
	}
	return m
}

// unchanged panics if the message has been changed.
func (l *envelope) unchanged() {
	if err := l.changed(); err != nil {
		panic(breach{err})
	}
}

// A watched node wraps a node, and checks that it satisfies its contract. It sends
// envelopes.
type watched struct {
	watch   *watch
	start   messaging.Start
	node    messaging.Node
	before  string  // its state after its last handler
	used    bool    // a handler was called
	initial []field // its unexported fields
}

// node is the Algorithm of watched nodes.
func (w *watch) node(start messaging.Start) messaging.Node {
	n := &watched{watch: w, start: start, node: w.algorithm(start)}
	if err := plain(n.node); err != nil {
		fail(errState, "%v", err)
	}
	n.before, n.initial = n.state(), n.fixed()
	n.unasked()
	return n
}

// plain is state.Check for nodes only.
func plain(node messaging.Node) error {
	if reflect.TypeOf(node).Kind() != reflect.Pointer {
		return fmt.Errorf("a %T is not a pointer", node)
	}
	return state.Check(node)
}

func (n *watched) Unwrap() messaging.Node { return n.node }

func (n *watched) Excludes(other messaging.ID) bool { return n.node.(messaging.Sharer).Excludes(other) }

func (n *watched) Start(out messaging.Out)    { n.call("Start", out, whole.Start) }
func (n *watched) Request(out messaging.Out)  { n.call("Request", out, whole.Request) }
func (n *watched) Release(out messaging.Out)  { n.call("Release", out, whole.Release) }
func (n *watched) Withdraw(out messaging.Out) { n.call("Withdraw", out, whole.Withdraw) }

// call handles the call of a method that takes no message.
func (n *watched) call(name string, out messaging.Out, method func(whole, messaging.Out)) {
	h := func(node messaging.Node, out messaging.Out) { method(whole{node}, out) }
	n.handle(name, out, h, h)
}

func (n *watched) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	l := m.(*envelope)
	l.unchanged()
	n.handle(fmt.Sprintf("Receive of %T", l.message), out, receipt(from, l.copied()), receipt(from, l.message))
	l.unchanged()
}

// A handler is a method of a node with its arguments.
type handler func(messaging.Node, messaging.Out)

func receipt(from messaging.ID, m messaging.Message) handler {
	return func(node messaging.Node, out messaging.Out) { node.Receive(from, m, out) }
}

// handle runs a handler on a new node in the same state, then on the node, and
// compares the two.
func (n *watched) handle(name string, out messaging.Out, rehearsed, h handler) {
	if n.start.Restarted && !n.used {
		n.before = n.state() // what was durable has been recalled
	}
	n.used = true
	n.probe()
	twin := n.twin(n.before)
	rehearsal := &record{choose: out.Choose}
	refused := rehearsal.of(rehearsed, twin)
	if n.state() != n.before {
		fail(errShared, "that of node %d was %s and is now %s", n.start.Self, state.Format(n.twin(n.before), nil), state.Format(n.node, nil))
	}

	live := &record{choose: rehearsal.again(name), out: out, watch: n.watch}
	h(n.node, live)
	n.before = n.state()
	n.stillFixed(name)
	switch {
	case refused != nil:
		fail(errTwice, "%s of node %d panicked once, with %v", name, n.start.Self, refused)
	case !rehearsal.equal(live):
		fail(errTwice, "%s of node %d did %v, but %v in an equal state", name, n.start.Self, rehearsal, live)
	case string(state.Append(nil, twin)) != n.before:
		fail(errTwice, "%s of node %d led to %s, but to %s from an equal state", name, n.start.Self, state.Format(twin, nil), state.Format(n.node, nil))
	}
}

// state returns the encoded state of the node.
func (n *watched) state() string { return string(state.Append(nil, n.node)) }

// A field is a field of a node, with its formatted value.
type field struct{ name, value string }

// stillFixed panics if an unexported field has changed.
func (n *watched) stillFixed(handler string) {
	for k, f := range n.fixed() {
		if f != n.initial[k] {
			fail(errFixed, "%s of node %d was %s, but is %s after %s", f.name, n.start.Self, n.initial[k].value, f.value, handler)
		}
	}
}

// fixed returns the unexported fields of the node.
func (n *watched) fixed() []field { return unexported(nil, reflect.ValueOf(n.node).Elem()) }

func unexported(all []field, v reflect.Value) []field {
	for i := range v.NumField() {
		switch f := v.Type().Field(i); {
		case f.Anonymous && f.Type.Kind() == reflect.Struct:
			all = unexported(all, v.Field(i))
		case !f.IsExported():
			all = append(all, field{f.Name, fmt.Sprintf("%+v", v.Field(i))})
		}
	}
	return all
}

// twin returns a new node in the given state.
func (n *watched) twin(data string) messaging.Node {
	twin := n.watch.algorithm(n.start)
	if err := state.Restore(twin, []byte(data)); err != nil {
		fail(errState, "of node %d: %v", n.start.Self, err)
	}
	return twin
}

// An unknown is a message that no algorithm knows.
type unknown struct{ Number int }

// triedWith describes a message that a node was probed with.
func triedWith(m messaging.Message) string {
	if _, ok := m.(unknown); ok {
		return "a message of an unknown kind"
	}
	return fmt.Sprintf("a zero %T", m)
}

// probe sends impossible messages to a node in the current state: an unknown one
// and a zero message of each kind, from another node and from the node itself.
func (n *watched) probe() {
	twin := n.twin(n.before)
	for _, from := range []messaging.ID{n.start.Self, (n.start.Self + 1) % messaging.ID(n.start.Nodes)} {
		if n.refuses(twin, from, unknown{1}) == nil {
			fail(errRefusal, "node %d accepted %s: Receive must panic on unknown messages", n.start.Self, triedWith(unknown{}))
		}
		for _, m := range n.watch.kinds {
			zero := reflect.Zero(reflect.TypeOf(m)).Interface()
			n.refuses(twin, from, zero)
		}
	}
}

// refuses returns the panic value of twin, restored to the state of the node, when
// it gets m; nil if it accepts m.
func (n *watched) refuses(twin messaging.Node, from messaging.ID, m messaging.Message) any {
	if err := state.Restore(twin, []byte(n.before)); err != nil {
		fail(errState, "of node %d: %v", n.start.Self, err)
	}
	did := &record{choose: lowest}
	refused := did.of(receipt(from, m), twin)
	switch after := string(state.Append(nil, twin)); {
	case refused == nil:
	case after != n.before:
		fail(errRefusal, "node %d in state %s got %s from node %d, changed its state to %s, and then panicked with: %v",
			n.start.Self, state.Format(n.twin(n.before), nil), triedWith(m), from, state.Format(twin, nil), refused)
	case len(did.effects) > 0:
		fail(errRefusal, "node %d got %s from node %d, did %v, and then panicked with: %v", n.start.Self, triedWith(m), from, did, refused)
	}
	return refused
}

// unasked sends zero messages from every node to a node without a request, which
// must not enter.
func (n *watched) unasked() {
	for from := range messaging.ID(n.start.Nodes) {
		for _, m := range n.watch.kinds {
			did := &record{choose: lowest}
			did.of(receipt(from, reflect.Zero(reflect.TypeOf(m)).Interface()), n.twin(n.before))
			if did.entered() {
				fail(errRefusal, "node %d, which has no request, got %s from node %d and entered", n.start.Self, triedWith(m), from)
			}
		}
	}
}

func lowest(int) int { return 0 }

// A record is an Out that records the effects, and passes them on to another Out,
// if any.
type record struct {
	effects []effect
	choices []choice
	choose  func(n int) int
	out     messaging.Out
	watch   *watch
}

// An effect is one effect of a handler.
type effect struct {
	what  string
	to    messaging.ID
	after time.Duration
	v     any
	data  string // the type and encoding of v
}

type choice struct{ n, chosen int }

// of runs h on node, and returns its panic value; nil if it did not panic.
func (r *record) of(h handler, node messaging.Node) (refused any) {
	defer func() { refused = recover() }()
	h(node, r)
	return nil
}

// again returns a Choose that repeats the recorded choices.
func (r *record) again(name string) func(n int) int {
	choices := r.choices
	return func(n int) int {
		if n < 1 {
			return r.choose(n) // which panics
		}
		if len(choices) == 0 || choices[0].n != n {
			fail(errTwice, "%s chose among %d, but did not in an equal state", name, n)
		}
		chosen := choices[0].chosen
		choices = choices[1:]
		return chosen
	}
}

func (r *record) equal(other *record) bool {
	if len(r.effects) != len(other.effects) || len(r.choices) != len(other.choices) {
		return false
	}
	for k, e := range r.effects {
		f := other.effects[k]
		if e.what != f.what || e.to != f.to || e.after != f.after || e.data != f.data {
			return false
		}
	}
	return true
}

func (r *record) entered() bool {
	for _, e := range r.effects {
		if e.what == "enter" {
			return true
		}
	}
	return false
}

func (r *record) String() string {
	var words []string
	for _, e := range r.effects {
		switch e.what {
		case "send":
			words = append(words, fmt.Sprintf("send %s to %d", state.Format(e.v, nil), e.to))
		case "enter":
			words = append(words, "enter")
		case "after":
			words = append(words, fmt.Sprintf("set a timer of %v with %s", e.after, state.Format(e.v, nil)))
		case "emit":
			words = append(words, "emit "+state.Format(e.v, nil))
		}
	}
	if len(words) == 0 {
		return "nothing"
	}
	return strings.Join(words, ", ")
}

// note records e, and encodes its v.
func (r *record) note(e effect) {
	if e.v != nil {
		e.data = fmt.Sprintf("%T", e.v)
		if state.Check(e.v) == nil {
			e.data += string(state.Append(nil, e.v))
		} else {
			e.data += fmt.Sprintf("%+v", e.v)
		}
	}
	r.effects = append(r.effects, e)
}

func (r *record) Send(to messaging.ID, m messaging.Message) {
	r.note(effect{what: "send", to: to, v: m})
	if r.out != nil {
		r.out.Send(to, r.watch.envelope(m))
	}
}

func (r *record) Enter() {
	r.note(effect{what: "enter"})
	if r.out != nil {
		r.out.Enter()
	}
}

func (r *record) After(d time.Duration, m messaging.Message) {
	r.note(effect{what: "after", after: d, v: m})
	if r.out != nil {
		r.out.After(d, r.watch.envelope(m))
	}
}

func (r *record) Choose(n int) int {
	chosen := r.choose(n)
	r.choices = append(r.choices, choice{n, chosen})
	return chosen
}

func (r *record) Emit(v any) {
	r.note(effect{what: "emit", v: v})
	if r.out != nil {
		r.out.Emit(v)
	}
}
