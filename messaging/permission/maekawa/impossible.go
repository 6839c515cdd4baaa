package maekawa

import (
	"cmp"
	"slices"

	"example.org/doorway/internal/node/impossible"
	"example.org/doorway/messaging"
)

// impossible returns why node from cannot have sent m; "" if it can.
func (n *node) impossible(from messaging.ID, m messaging.Message) string {
	switch m := m.(type) {
	case request:
		here := n.Lock == m.Of || n.Waiting.Has(m.Of)
		return cmp.Or(impossible.Own(n.start.Self, n.Mine, from, m.Of), impossible.If(here, "the request has arrived already"))
	case relinquish:
		lacks := n.Lock != m.Of && m.Of.Time > n.Over[from]
		return cmp.Or(impossible.Own(n.start.Self, n.Mine, from, m.Of), impossible.If(lacks, "the request does not have the lock"))
	case release:
		over := m.Of.Time == n.Over[from]
		return cmp.Or(impossible.Own(n.start.Self, n.Mine, from, m.Of), impossible.If(over, "the request is over already"))
	case locked:
		return n.impossibleTo(from, m.To, n.Got.Has(from), "this node has that lock already")
	case failed:
		return n.impossibleTo(from, m.To, false, "")
	case inquire:
		return n.impossibleTo(from, m.To, n.Inquired.Has(from), "it has inquired already")
	}
	return "it is not a message of this algorithm"
}

// impossibleTo checks a message about this node's request to. Asked is the quorum of
// the latest request; those of earlier requests are no longer known.
func (n *node) impossibleTo(from messaging.ID, to messaging.Stamp, bad bool, why string) string {
	current := to == n.Mine && n.Phase != messaging.Idle
	return cmp.Or(
		impossible.To(n.start.Self, to, n.Mine),
		impossible.If(current && !slices.Contains(n.Asked, from), "it was not asked"),
		impossible.If(current && bad, why),
	)
}
