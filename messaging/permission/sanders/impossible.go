package sanders

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
		here := n.Busy == m.Of || n.Waiting.Has(m.Of)
		return cmp.Or(impossible.Of(from, m.Of), impossible.If(here, "it has come before"))
	case Relinquish:
		unasked := m.Of.Time > n.Over[from] && (n.Busy != m.Of || !n.Inquiring)
		return cmp.Or(impossible.Of(from, m.Of), impossible.If(unasked, "nobody has inquired for that lock"))
	case Release:
		return impossible.Of(from, m.Of)
	case Locked:
		return n.impossibleTo(from, m.To, n.Got.Has(from), "its lock is here already")
	case Failed:
		return n.impossibleTo(from, m.To, false, "")
	case Inquire:
		return n.impossibleTo(from, m.To, n.Inquired.Has(from), "it has inquired already")
	}
	return "it is no message of this algorithm"
}

// impossibleTo is for what is said to this node about its request to.
func (n *node) impossibleTo(from messaging.ID, to messaging.Stamp, bad bool, why string) string {
	return cmp.Or(
		impossible.If(to.ID != n.self || n.Mine.Before(to), "this node has made no such request"),
		impossible.If(!slices.Contains(n.request, from), "this node does not ask it"),
		impossible.If(n.waits(to) && bad, why),
	)
}
