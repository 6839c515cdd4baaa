package maekawa

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
	case Relinquish:
		lacks := n.Lock != m.Of && m.Of.Time > n.Over[from]
		return cmp.Or(impossible.Of(from, m.Of), impossible.If(lacks, "it has not the lock"))
	case Release:
		over := m.Of.Time == n.Over[from]
		return cmp.Or(impossible.Of(from, m.Of), impossible.If(over, "it is over already"))
	case Locked:
		return n.impossibleTo(from, m.To, n.Got.Has(from), "the lock is there already")
	case Failed:
		return n.impossibleTo(from, m.To, false, "")
	case Inquire:
		return n.impossibleTo(from, m.To, n.Inquired.Has(from), "it has inquired already")
	}
	return "it is no message of this algorithm"
}

// impossibleTo is for what is said to this node about its request to. Asked is the
// quorum of its latest; those of earlier ones are not known any more.
func (n *node) impossibleTo(from messaging.ID, to messaging.Stamp, bad bool, why string) string {
	current := to == n.Mine && n.Phase != messaging.Idle
	return cmp.Or(
		impossible.To(n.start.Self, to, n.Mine),
		impossible.If(current && !slices.Contains(n.Asked, from), "it was not asked"),
		impossible.If(current && bad, why),
	)
}
