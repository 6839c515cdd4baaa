package link

import "example.org/doorway/messaging"

// invariant returns the rule that the inner nodes keep theirs, which may be nil: what a node has
// sent to another whose present incarnation has not delivered it, and will get it, is in transit.
func invariant(rule messaging.Invariant) messaging.Invariant {
	if rule == nil {
		return nil
	}
	return func(nodes []messaging.Node, _ []messaging.Event) error {
		inner, transit := make([]messaging.Node, len(nodes)), []messaging.Event(nil)
		for i := range nodes {
			from := asNode(nodes[i])
			if from == nil {
				continue
			}
			inner[i] = from.Inner
			for j := range nodes {
				if to := asNode(nodes[j]); to != nil && i != j {
					transit = append(transit, from.inTransit(to)...)
				}
			}
		}
		return rule(inner, transit)
	}
}

// of returns the node of a link, or nil if it is down.
func asNode(n messaging.Node) *node {
	l, _ := n.(*node)
	return l
}

// inTransit returns what n has sent to another node, and that has not delivered.
func (n *node) inTransit(to *node) (all []messaging.Event) {
	p, q := &n.Peers[to.start.Self], &to.Peers[n.start.Self]
	delivered := uint64(0)
	switch known := p.Incarnation == to.Incarnation; {
	case !known && p.ended():
		return nil
	case known && q.Incarnation == n.Incarnation:
		delivered = q.Seen
	}
	for k, u := range p.Unacknowledged {
		if p.acknowledged()+uint64(k) >= delivered {
			all = append(all, messaging.Event{From: n.start.Self, To: to.start.Self, Message: u.Message})
		}
	}
	return all
}
