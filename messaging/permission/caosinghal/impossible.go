package caosinghal

import (
	"cmp"
	"slices"

	"example.org/doorway/internal/impossible"
	"example.org/doorway/messaging"
)

// impossible returns why m cannot come from that node; "" if it can.
func (n *node) impossible(from messaging.ID, m messaging.Message) string {
	switch m := m.(type) {
	case Request:
		here := n.Lock == m.Of || n.Waiting.Has(m.Of)
		return cmp.Or(impossible.Of(from, m.Of), impossible.If(here, "it is here already"))
	case Yield:
		unasked := m.Of.Time > n.Over[from] && (n.Lock != m.Of || !n.Inquiring)
		return cmp.Or(impossible.Of(from, m.Of), impossible.If(unasked, "nobody has inquired for that lock"))
	case Release:
		return cmp.Or(impossible.Of(from, m.Of), impossible.If(n.misdirected(m), "the lock cannot be handed so"))
	case Locked:
		return n.impossibleTo(m.Arbiter, m.To, n.Got.Has(m.Arbiter), "the lock is there already")
	case Failed:
		return n.impossibleTo(from, m.To, false, "")
	case Transfer:
		bad := m.Inquire && n.Inquired.Has(from)
		return cmp.Or(
			impossible.If(!n.nameable(m.Next), "the next is no request"),
			n.impossibleTo(from, m.To, bad, "it has inquired already"),
		)
	}
	return "it is no message of this algorithm"
}

// misdirected reports whether a lock was handed on by a request that does not have
// it, or to one that does not wait.
func (n *node) misdirected(m Release) bool {
	return !m.Next.IsZero() && (!n.nameable(m.Next) || n.Lock != m.Of || !n.over(m.Next) && !n.Waiting.Has(m.Next))
}

// nameable reports whether r can be a request: of a node that there is.
func (n *node) nameable(r messaging.Stamp) bool {
	return r.Time != 0 && r.ID >= 0 && int(r.ID) < len(n.Over)
}

// impossibleTo is for what is said to this node about its request to and the lock
// of node q.
func (n *node) impossibleTo(q messaging.ID, to messaging.Stamp, bad bool, why string) string {
	return cmp.Or(
		impossible.To(n.self, to, n.Mine),
		impossible.If(!slices.Contains(n.quorum, q), "it was not asked"),
		impossible.If(n.current(to) && bad, why),
	)
}
