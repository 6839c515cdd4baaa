package nodetest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"example.org/doorway/internal/node/history"
	"example.org/doorway/internal/node/notation"
	"example.org/doorway/internal/node/state"
	"example.org/doorway/messaging"
)

// A record is an Out that records the effects, and passes them on to another Out,
// if any.
type record struct {
	effects []effect
	choices []choice
	choose  func(n int) int
	out     messaging.Out
	watch   *watch
	over    atomic.Bool // the handler has returned
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

// run runs h on node, and returns its panic value; nil if it did not panic.
func (r *record) run(h handler, node messaging.Node) (refused any) {
	defer func() {
		r.over.Store(true)
		refused = recover()
	}()
	h(node, r)
	return nil
}

// repeated returns a Choose that repeats choices.
func (w *watch) repeated(choices []choice, name string) func(n int) int {
	return func(n int) int {
		if n < 1 {
			panic(fmt.Sprintf("messaging: a node chooses among %d: there must be at least 1", n))
		}
		if len(choices) == 0 || choices[0].n != n {
			panic(w.breaks(history.Nondeterministic, "%s chose among %d, but did not in an equal state", name, n))
		}
		chosen := choices[0].chosen
		choices = choices[1:]
		return chosen
	}
}

func (r *record) equal(other *record) bool {
	return len(r.choices) == len(other.choices) && slices.EqualFunc(r.effects, other.effects, func(e, f effect) bool {
		return e.what == f.what && e.to == f.to && e.after == f.after && e.data == f.data
	})
}

func (e effect) String() string {
	switch e.what {
	case "enter":
		return "enter"
	case "after":
		return fmt.Sprintf("set a timer of %v with %s", e.after, format(e.v))
	case "emit":
		return "emit " + format(e.v)
	}
	return fmt.Sprintf("send %s to %s", format(e.v), notation.Node(e.to))
}

func (r *record) String() string {
	var words []string
	for _, e := range r.effects {
		words = append(words, e.String())
	}
	return cmp.Or(strings.Join(words, ", "), "nothing")
}

// does records an effect, and encodes its v. It reports whether the effect is to be passed on.
func (r *record) does(method string, e effect) bool {
	if r.late(method) {
		return false
	}
	if e.v != nil {
		e.data = fmt.Sprintf("%T", e.v)
		if state.Check(e.v) == nil {
			e.data += string(state.Append(nil, e.v))
		} else {
			e.data += fmt.Sprintf("%+v", e.v)
		}
	}
	r.effects = append(r.effects, e)
	return r.out != nil
}

// late reports whether the handler has returned, and notes that it used the Out since.
func (r *record) late(method string) bool {
	if !r.over.Load() {
		return false
	}
	_ = r.watch.breaks(history.Late, "%s was called", method)
	return true
}

func (r *record) Send(to messaging.ID, m messaging.Message) {
	if r.does("Send", effect{what: "send", to: to, v: m}) {
		r.out.Send(to, r.watch.listed(m))
	}
}

func (r *record) Enter() {
	if r.does("Enter", effect{what: "enter"}) {
		r.out.Enter()
	}
}

func (r *record) After(d time.Duration, m messaging.Message) {
	if r.does("After", effect{what: "after", after: d, v: m}) {
		r.out.After(d, r.watch.listed(m))
	}
}

func (r *record) Emit(v any) {
	if r.does("Emit", effect{what: "emit", v: v}) {
		r.out.Emit(v)
	}
}

func (r *record) Choose(n int) int {
	if r.late("Choose") {
		return 0
	}
	chosen := r.choose(n)
	r.choices = append(r.choices, choice{n, chosen})
	return chosen
}
