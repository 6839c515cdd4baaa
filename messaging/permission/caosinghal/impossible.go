package caosinghal

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
		return cmp.Or(impossible.Own(n.self, n.Mine, from, m.Of), impossible.If(here, "the request has arrived already"))
	case yield:
		unasked := m.Of.Time > n.Over[from] && (n.Lock != m.Of || !n.Inquiring)
		return cmp.Or(impossible.Own(n.self, n.Mine, from, m.Of), impossible.If(unasked, "this node has not inquired for that lock"))
	case release:
		return cmp.Or(impossible.Own(n.self, n.Mine, from, m.Of), impossible.If(n.misdirected(m), "the lock cannot have been forwarded so"))
	case locked:
		here := m.Arbiter >= 0 && n.Got.Has(m.Arbiter)
		return n.impossibleTo(m.Arbiter, m.To, here, "this node has that lock already")
	case failed:
		return n.impossibleTo(from, m.To, false, "")
	case transfer:
		bad := m.Inquire && n.Inquired.Has(from)
		return cmp.Or(
			impossible.If(!n.nameable(m.Next), "the next is not a request of a node"),
			n.impossibleTo(from, m.To, bad, "it has inquired already"),
		)
	}
	return "it is not a message of this algorithm"
}

// misdirected reports whether a lock was forwarded by a request that does not have
// it, or to one that does not wait.
func (n *node) misdirected(m release) bool {
	return !m.Next.IsZero() && (!n.nameable(m.Next) || n.Lock != m.Of || !n.over(m.Next) && !n.Waiting.Has(m.Next))
}

// nameable reports whether r can be a request: its node exists.
func (n *node) nameable(r messaging.Stamp) bool {
	return r.Time != 0 && r.ID >= 0 && int(r.ID) < len(n.Over)
}

// impossibleTo checks a message about this node's request to and the lock of node q.
func (n *node) impossibleTo(q messaging.ID, to messaging.Stamp, bad bool, why string) string {
	return cmp.Or(
		impossible.To(n.self, to, n.Mine),
		impossible.If(!slices.Contains(n.quorum, q), "it was not asked"),
		impossible.If(n.current(to) && bad, why),
	)
}
