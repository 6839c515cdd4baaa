package caosinghal

import (
	"slices"

	"example.org/doorway/messaging"
)

// impossible returns why m cannot come from that node; "" if it can.
func (n *node) impossible(from messaging.ID, m messaging.Message) string {
	switch m := m.(type) {
	case Request:
		return n.impossibleOf(from, m.Of, n.Lock == m.Of || n.Waiting.Has(m.Of), "it is here already")
	case Yield:
		bad := !n.over(m.Of) && (n.Lock != m.Of || !n.Inquiring)
		return n.impossibleOf(from, m.Of, bad, "nobody has inquired for that lock")
	case Release:
		return n.impossibleOf(from, m.Of, n.misdirected(m), "the lock cannot be handed so")
	case Locked:
		return n.impossibleTo(m.Arbiter, m.To, n.Got.Has(m.Arbiter), "the lock is there already")
	case Failed:
		return n.impossibleTo(from, m.To, false, "")
	case Transfer:
		if !n.nameable(m.Next) {
			return "the next is no request"
		}
		return n.impossibleTo(from, m.To, m.Inquire && n.Inquired.Has(from), "it has inquired already")
	}
	return "it is no message of this algorithm"
}

// misdirected says whether a lock was handed on by a request that does not have
// it, or to one that does not wait.
func (n *node) misdirected(m Release) bool {
	return !m.Next.IsZero() && (!n.nameable(m.Next) || n.Lock != m.Of || !n.over(m.Next) && !n.Waiting.Has(m.Next))
}

// nameable says whether r can be a request: of a node that there is.
func (n *node) nameable(r messaging.Stamp) bool {
	return r.Time != 0 && r.ID >= 0 && int(r.ID) < len(n.Over)
}

// impossibleOf is impossible for what is said about the sender's request of.
func (n *node) impossibleOf(from messaging.ID, of messaging.Stamp, bad bool, why string) string {
	switch {
	case of.ID != from:
		return "the request is another node's"
	case of.Time == 0:
		return "there is no such request"
	case bad:
		return why
	}
	return ""
}

// impossibleTo is impossible for what is said to this node about its request to
// and the lock of node q.
func (n *node) impossibleTo(q messaging.ID, to messaging.Stamp, bad bool, why string) string {
	switch {
	case to.ID != n.self:
		return "the request is another node's"
	case to.Time == 0 || n.Mine.Before(to):
		return "there is no such request"
	case !slices.Contains(n.quorum, q):
		return "it was not asked"
	case n.current(to) && bad:
		return why
	}
	return ""
}
