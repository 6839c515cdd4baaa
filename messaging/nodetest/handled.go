package nodetest

import (
	"fmt"
	"slices"

	"example.org/doorway/internal/node/history"
	"example.org/doorway/internal/node/state"
	"example.org/doorway/messaging"
)

// A handling is all that a handler may depend on: the start of its node, its name, the state, the input and the choices.
type handling [5]string

// A handled is a call of a handler, with all that it did.
type handled struct {
	node          *watched
	name          string
	before, after string // the encoded states of the node
	did           *record
	handler       handler
}

// mostHandled is the maximum number of calls that are compared with others.
const mostHandled = 50_000

// compare compares a call with an earlier one in an equal state, if any, in this schedule or another.
func (w *watch) compare(h *handled, input string) {
	key := handling{h.node.about, h.name, h.before, input, fmt.Sprint(h.did.choices)}
	earlier, found := w.handled[key]
	switch {
	case found:
		earlier.compare(h.did, h.node.twin(h.after))
	case len(w.order) < mostHandled:
		w.handled[key] = h
		w.order = append(w.order, h)
	}
}

// again repeats calls of all schedules, in another order.
func (w *watch) again() (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = history.Caught(r)
		}
	}()
	for _, h := range slices.Backward(w.order) {
		twin := h.node.twin(h.before)
		r := &record{choose: w.repeated(h.did.choices, h.name), watch: w}
		if refused := r.run(h.handler, twin); refused != nil {
			history.Fail(history.Nondeterministic, "%s of %s panicked once, with %v", h.name, h.node, named(refused))
		}
		h.compare(r, twin)
	}
	w.unbroken()
	return nil
}

// compare panics unless a call in an equal state did the same and led to that of node.
func (h *handled) compare(did *record, node messaging.Node) {
	switch {
	case !did.equal(h.did):
		history.Fail(history.Nondeterministic, "%s of %s did %v, but %v in an equal state", h.name, h.node, did, h.did)
	case string(state.Append(nil, node)) != h.after:
		history.Fail(history.Nondeterministic, "%s of %s led to %s, but to %s from an equal state", h.name, h.node, format(node), format(h.node.twin(h.after)))
	}
}
