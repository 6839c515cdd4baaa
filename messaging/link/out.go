package link

import (
	"time"

	"example.org/doorway/messaging"
)

// An outlet is the Out that a node presents to the one in it. It is the node itself, so that a
// handler allocates none.
type outlet node

// begin lets effects go to out, until end.
func (n *node) begin(out messaging.Out) *outlet {
	n.out = out
	return (*outlet)(n)
}

func (n *node) end() { n.out, n.from, n.acks = nil, 0, 0 }

func (o *outlet) Send(to messaging.ID, m messaging.Message) {
	switch n := (*node)(o); {
	case to == o.start.Self:
		o.Own.Send(int(to), m)
	case to < 0 || int(to) >= o.start.Nodes:
		o.out.Send(to, m) // which panics
	default:
		n.send(to, m)
	}
}

func (o *outlet) Enter()                                     { o.out.Enter() }
func (o *outlet) After(d time.Duration, m messaging.Message) { o.out.After(d, m) }
func (o *outlet) Choose(n int) int                           { return o.out.Choose(n) }
func (o *outlet) Emit(v any)                                 { o.out.Emit(v) }
