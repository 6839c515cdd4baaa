package recovery

import (
	"fmt"
	"time"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/election"
)

// An outlet is the Out that a node presents to the one of the algorithm. It is the node itself, so
// that a handler allocates none.
type outlet node

// begin lets effects go to out, until end.
func (n *node) begin(out messaging.Out) *node {
	n.out = out
	return n
}

func (*node) end(n *node) { n.out = nil }

func (o *outlet) Send(to messaging.ID, m messaging.Message) {
	if to < 0 || int(to) >= len(o.Members) {
		panic(fmt.Sprintf("recovery: node %d sends %T to node %d of epoch %d: its nodes are 0 to %d",
			o.start.Self, m, to, o.Present, len(o.Members)-1))
	}
	if j := o.Members[to]; j == o.start.Self {
		o.Own.Send(int(j), m)
	} else {
		o.out.Send(j, (*node)(o).inEpoch(m))
	}
}

// inEpoch returns m with the present epoch.
func (n *node) inEpoch(m messaging.Message) messaging.Message {
	if n.Present == 0 {
		return m
	}
	return within{n.Present, m}
}

func (o *outlet) Enter() {
	o.Phase = messaging.Inside
	o.out.Enter()
}

func (o *outlet) After(d time.Duration, m messaging.Message) { o.out.After(d, (*node)(o).inEpoch(m)) }
func (o *outlet) Choose(n int) int                           { return o.out.Choose(n) }
func (o *outlet) Emit(v any)                                 { o.out.Emit(v) }

// A ballot is the Out of the node of the election. It notes who is elected.
type ballot struct {
	messaging.Out
	elected []messaging.ID
}

func (b *ballot) Emit(v any) {
	if e, ok := v.(election.Elected); ok {
		b.elected = append(b.elected, e.Leader)
	}
	b.Out.Emit(v)
}

// Can reports whether the node is of a kind; its methods have more.
func (n *node) Can(kind any) bool {
	switch kind.(type) {
	case *messaging.Withdrawer:
		return n.withdraws
	case *messaging.Sharer:
		return false
	}
	return true
}

var _ interface {
	messaging.Starter
	messaging.Survivor
	messaging.Withdrawer
	messaging.Epocher
} = (*node)(nil)

// Nested returns the node of the algorithm.
func (n *node) Nested() messaging.Node { return n.Inner }

// Epoch returns the epoch in which the node takes part, or did last. If the algorithm has epochs, too, this one is in the
// upper half of the number, and that of the algorithm in the lower half.
func (n *node) Epoch() uint64 {
	if !n.epochs {
		return n.Present
	}
	epoch := n.Present << 32
	if n.active() {
		epocher, _ := messaging.As[messaging.Epocher](n.Inner)
		epoch += epocher.Epoch()
	}
	return epoch
}

// Remake makes the node of the algorithm for the members that a state has; see internal/node/state.
func (n *node) Remake() {
	n.Inner = nil
	if n.active() {
		n.Inner = n.inner(n.rank(n.start.Self), len(n.Members), n.Holder)
	}
}
