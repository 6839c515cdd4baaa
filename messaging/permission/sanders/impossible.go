package sanders

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
		here := n.Busy == m.Of || n.Waiting.Has(m.Of)
		return cmp.Or(impossible.Own(n.self, n.Mine, from, m.Of), impossible.If(here, "the request has arrived already"))
	case relinquish:
		unasked := m.Of.Time > n.Over[from] && (n.Busy != m.Of || !n.Inquiring)
		return cmp.Or(impossible.Own(n.self, n.Mine, from, m.Of), impossible.If(unasked, "this node has not inquired for that lock"))
	case release:
		return impossible.Own(n.self, n.Mine, from, m.Of)
	case locked:
		return n.impossibleTo(from, m.To, n.Got.Has(from), "this node has that lock already")
	case failed:
		return n.impossibleTo(from, m.To, false, "")
	case inquire:
		return n.impossibleTo(from, m.To, n.Inquired.Has(from), "it has inquired already")
	}
	return "it is not a message of this algorithm"
}

// impossibleTo checks a message about this node's request to.
func (n *node) impossibleTo(from messaging.ID, to messaging.Stamp, bad bool, why string) string {
	return cmp.Or(
		impossible.If(to.ID != n.self || n.Mine.Before(to), "this node has made no such request"),
		impossible.If(!slices.Contains(n.request, from), "this node does not ask it"),
		impossible.If(n.waits(to) && bad, why),
	)
}
