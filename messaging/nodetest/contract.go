package nodetest

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"

	"example.org/doorway/internal/node/history"
	"example.org/doorway/internal/node/layer"
	"example.org/doorway/internal/node/notation"
	"example.org/doorway/internal/node/state"
	"example.org/doorway/messaging"
)

// Check runs the schedules like Run, and checks nodes and messages against the
// contract of [messaging.Node] and [messaging.Message] in each event:
//
//   - The state of a node is plain data and is complete: a new node with the same
//     start, restored to the same state, has the same effects and the same next state,
//     now and when all schedules are over. Only handlers change it. Unexported fields,
//     and what they refer to, do not change, and are the same in each new node.
//   - A message, including inputs, those to the node itself and of timers, is of one of kinds
//     and plain data.
//   - A node panics on a message of an unknown kind. A panic leaves the node
//     unchanged. Zero messages of the kinds are tried in every state too; a node may
//     accept them, but it must not enter by one without a request.
//   - Each of the kinds is sent in some schedule.
//   - Which optional interfaces a node has ([messaging.As]) does not change, and neither does what
//     Excludes of a Sharer says, which is symmetric. No Out is used after its handler
//     has returned.
//
// What a function has captured is seen only by its effects, as is what no field of a
// node refers to: package [example.org/doorway/messaging/nodevet] finds these in the source.
//
// Pass all schedules in one call: a kind may be sent in some of them only, for example
// with withdrawals, or with more than one node.
//
// sim.Failure classifies the error. A seed determines the same schedule as with Run, but
// Check takes about fifty times as long.
func Check(a messaging.Algorithm, kinds []messaging.Message, schedules ...Config) error {
	w, err := newWatch(a, kinds)
	if err != nil {
		return err
	}
	for _, c := range schedules {
		w.natures = make(history.Natures, max(0, c.Nodes))
		if err := run(w.node, w.algorithm, c); err != nil {
			return err
		}
	}
	if err := w.again(); err != nil {
		return err
	}
	return w.neverSent()
}

// A watch creates watched nodes of an algorithm.
type watch struct {
	algorithm messaging.Algorithm
	types     []reflect.Type      // of kinds of messages
	zeros     []messaging.Message // of these types
	sent      []bool              // by kind
	natures   history.Natures     // of the nodes of this schedule
	handled   map[handling]*handled
	order     []*handled                     // of all schedules
	broken    atomic.Pointer[history.Breach] // in a handler, which may recover from its panic
}

func newWatch(a messaging.Algorithm, kinds []messaging.Message) (*watch, error) {
	w := &watch{algorithm: a, sent: make([]bool, len(kinds)), handled: map[handling]*handled{}}
	for _, kind := range kinds {
		if err := state.CheckMessage(kind); err != nil {
			return nil, fmt.Errorf("%w: %w", history.OfNoKind, err)
		}
		t := reflect.TypeOf(kind)
		if slices.Contains(w.types, t) {
			return nil, fmt.Errorf("%w: the kind %v occurs twice", history.OfNoKind, t)
		}
		w.types, w.zeros = append(w.types, t), append(w.zeros, reflect.Zero(t).Interface())
	}
	return w, nil
}

func (w *watch) neverSent() error {
	var never []string
	for k, sent := range w.sent {
		if !sent {
			never = append(never, w.types[k].String())
		}
	}
	if len(never) > 0 {
		return fmt.Errorf("%w: %s", history.NotSent, strings.Join(never, ", "))
	}
	return nil
}

// breaks notes a breach in a handler.
func (w *watch) breaks(kind error, format string, args ...any) history.Breach {
	b := history.Breach{Err: fmt.Errorf("%w: %s", kind, fmt.Sprintf(format, args...))}
	w.broken.CompareAndSwap(nil, &b)
	return b
}

// unbroken panics if a handler has broken the contract.
func (w *watch) unbroken() {
	if b := w.broken.Load(); b != nil {
		panic(*b)
	}
}

// listed checks a message that is sent.
func (w *watch) listed(m messaging.Message) messaging.Message {
	if err := state.CheckMessage(m); err != nil {
		panic(w.breaks(history.OfNoKind, "%v", err))
	}
	w.kind(m)
	return m
}

// kind notes that a message is sent, or an input, and returns its kind: one of those listed.
func (w *watch) kind(m messaging.Message) (kind int) {
	kind = slices.Index(w.types, reflect.TypeOf(m))
	if kind < 0 {
		panic(w.breaks(history.OfNoKind, "a %T is not one of the messages %v", m, w.types))
	}
	w.sent[kind] = true
	return kind
}

// A watched node wraps a node, and checks that it satisfies its contract.
type watched struct {
	layer.Whole
	watch   *watch
	start   messaging.Start
	about   string // start, as text
	before  string // its state after its last handler
	used    bool   // a handler was called
	initial []state.Constant
}

// node is the Algorithm of watched nodes.
func (w *watch) node(start messaging.Start) messaging.Node {
	made := w.algorithm(start)
	if history.Missing(made) {
		return nil
	}
	n := &watched{
		Whole: layer.Around(made), watch: w, start: start,
		about: fmt.Sprint(start.Self, start.Nodes, start.Holder, start.Restarted),
	}
	if reflect.TypeOf(made).Kind() != reflect.Pointer {
		history.Fail(history.State, "a %T is not a pointer", made)
	}
	if err := state.Check(made); err != nil {
		history.Fail(history.State, "%v", err)
	}
	n.before, n.initial = n.state(), state.Constants(n.Node)
	history.NewEachTime(w.algorithm, start, n.Node)
	n.unasked()
	return n
}

func (n *watched) Start(out messaging.Out)    { n.call("Start", out, "", layer.Whole.Start) }
func (n *watched) Request(out messaging.Out)  { n.call("Request", out, "", layer.Whole.Request) }
func (n *watched) Release(out messaging.Out)  { n.call("Release", out, "", layer.Whole.Release) }
func (n *watched) Withdraw(out messaging.Out) { n.call("Withdraw", out, "", layer.Whole.Withdraw) }

func (n *watched) Down(peer messaging.ID, out messaging.Out) {
	n.call("Down", out, fmt.Sprint(peer), func(w layer.Whole, out messaging.Out) { w.Down(peer, out) })
}

// call handles the call of a method that takes no message.
func (n *watched) call(name string, out messaging.Out, input string, method func(layer.Whole, messaging.Out)) {
	n.handle(name, out, input, func(node messaging.Node, out messaging.Out) { method(layer.Around(node), out) })
}

func (n *watched) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	input := fmt.Sprintf("%d %d %s", from, n.watch.kind(m), state.Append(nil, m))
	n.handle(fmt.Sprintf("Receive of %T", m), out, input, func(node messaging.Node, out messaging.Out) {
		node.Receive(from, state.CloneMessage(m), out)
	})
}

// A handler is a method of a node with its arguments. It may be called more than once.
type handler func(messaging.Node, messaging.Out)

func receiving(from messaging.ID, m messaging.Message) handler {
	return func(node messaging.Node, out messaging.Out) { node.Receive(from, m, out) }
}

// handle runs a handler on a new node in the same state, then on the node, and
// compares the two.
func (n *watched) handle(name string, out messaging.Out, input string, h handler) {
	if n.start.Restarted && !n.used {
		n.before = n.state() // what was durable has been recalled
	}
	n.used = true
	n.probe()
	twin := n.twin(n.before)
	rehearsal := &record{choose: out.Choose, watch: n.watch}
	refused := rehearsal.run(h, twin)
	if n.state() != n.before {
		history.Fail(history.Shared, "that of %s was %s and is now %s", n, format(n.twin(n.before)), format(n.Node))
	}

	live := &record{choose: n.watch.repeated(rehearsal.choices, name), out: out, watch: n.watch}
	before := n.before
	h(n.Node, live)
	live.over.Store(true)
	n.watch.unbroken()
	n.before = n.state()
	history.StillFixed(n.start.Self, n.initial, state.Constants(n.Node), name)
	if refused != nil {
		history.Fail(history.Nondeterministic, "%s of %s panicked once, with %v", name, n, named(refused))
	}
	past := &handled{node: n, name: name, before: before, after: n.before, did: live, handler: h}
	past.compare(rehearsal, twin)
	n.watch.compare(past, input)
	n.watch.natures.Check(n.start.Self, n.Node)
}

// String returns the name of the node.
func (n *watched) String() string { return notation.Node(n.start.Self) }

// format returns a state or a message as it is in errors.
func format(v any) string { return state.Format(v, notation.Node) }

// named returns a panic value as it is in errors.
func named(refused any) string {
	text, _ := notation.Named(fmt.Sprint(refused))
	return text
}

// state returns the encoded state of the node.
func (n *watched) state() string { return string(state.Append(nil, n.Node)) }

// twin returns a new node in the given state.
func (n *watched) twin(data string) messaging.Node {
	twin := n.watch.algorithm(n.start)
	n.restore(twin, data)
	return twin
}

func (n *watched) restore(twin messaging.Node, data string) {
	if err := state.Restore(twin, []byte(data)); err != nil {
		history.Fail(history.State, "of %s: %v", n, err)
	}
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
			history.Fail(history.Refusal, "%s accepted %s: Receive must panic on unknown messages", n, triedWith(unknown{}))
		}
		for _, zero := range n.watch.zeros {
			n.refuses(twin, from, zero)
		}
	}
}

// refuses returns the panic value of twin, restored to the state of the node, when
// it gets m; nil if it accepts m.
func (n *watched) refuses(twin messaging.Node, from messaging.ID, m messaging.Message) any {
	n.restore(twin, n.before)
	did := &record{choose: lowest, watch: n.watch}
	refused := did.run(receiving(from, m), twin)
	switch after := string(state.Append(nil, twin)); {
	case refused == nil:
	case after != n.before:
		history.Fail(history.Refusal, "%s in state %s got %s from %s, changed its state to %s, and then panicked with: %v",
			n, format(n.twin(n.before)), triedWith(m), notation.Node(from), format(twin), named(refused))
	case len(did.effects) > 0:
		history.Fail(history.Refusal, "%s got %s from %s, did %v, and then panicked with: %v", n, triedWith(m), notation.Node(from), did, named(refused))
	}
	return refused
}

// unasked sends zero messages from every node to a node without a request, which
// must not enter.
func (n *watched) unasked() {
	for from := range messaging.ID(n.start.Nodes) {
		for _, zero := range n.watch.zeros {
			did := &record{choose: lowest, watch: n.watch}
			did.run(receiving(from, zero), n.twin(n.before))
			if slices.ContainsFunc(did.effects, func(e effect) bool { return e.what == "enter" }) {
				history.Fail(history.Refusal, "%s, which has no request, got %s from %s and entered", n, triedWith(zero), notation.Node(from))
			}
		}
	}
}

func lowest(int) int { return 0 }
