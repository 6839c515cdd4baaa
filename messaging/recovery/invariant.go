package recovery

import (
	"fmt"
	"slices"

	"example.org/doorway/internal/node/notation"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/election"
	"example.org/doorway/messaging/election/bully"
)

// invariant returns the rule that those who take part in an epoch agree on its members, and that
// rule, which may be nil, holds in it.
func invariant(rule messaging.Invariant) messaging.Invariant {
	return func(nodes []messaging.Node, transit []messaging.Event) error {
		for i := range nodes {
			n, up := nodes[i].(*node)
			if !up || !n.active() || slices.ContainsFunc(nodes[:i], n.agrees) {
				continue
			}
			for _, other := range nodes[i+1:] {
				if m, up := other.(*node); up && m.active() && m.Present == n.Present && !n.agrees(m) {
					return fmt.Errorf("nodes %d and %d disagree on the members of epoch %d: %s and %s",
						n.start.Self, m.start.Self, n.Present, notation.Set(n.Members), notation.Set(m.Members))
				}
			}
			if rule == nil {
				continue
			}
			if err := rule(n.run(nodes, transit)); err != nil {
				return fmt.Errorf("in epoch %d, %s", n.Present, n.byNumber(err.Error()))
			}
		}
		return nil
	}
}

// byNumber returns what is said of nodes in the present epoch, with the numbers of all in place of their ranks.
func (n *node) byNumber(text string) string {
	text, _ = notation.Renamed(text, func(rank messaging.ID) string {
		if int(rank) < len(n.Members) {
			rank = n.Members[rank]
		}
		return notation.Node(rank)
	})
	return text
}

// agrees reports whether another node takes part in the same epoch.
func (n *node) agrees(other messaging.Node) bool {
	m, up := other.(*node)
	return up && m.active() && m.Present == n.Present && slices.Equal(m.Members, n.Members) && m.Holder == n.Holder
}

// run returns the nodes of the algorithm in the epoch of n, and their messages in transit that will be
// taken. A node to which the Begin is on its way has the state that it will begin with.
func (n *node) run(nodes []messaging.Node, transit []messaging.Event) ([]messaging.Node, []messaging.Event) {
	inner, inside := make([]messaging.Node, len(n.Members)), []messaging.Event(nil)
	var begins messaging.Set
	var r *rehearsal
	for _, e := range transit {
		if m, is := e.Message.(begin); is && m.Epoch == n.Present {
			begins.Add(e.To)
			if r == nil {
				r = n.rehearse(m, none)
			}
		}
	}
	for k, j := range n.Members {
		m, up := nodes[j].(*node)
		switch {
		case !up || m.Promised != n.Present:
		case m.active():
			inner[k] = m.Inner
		case m.Answered && begins.Has(j):
			inner[k] = r.sites[k].Node()
			for _, e := range r.transit {
				if e.from == messaging.ID(k) {
					inside = append(inside, messaging.Event{From: e.from, To: e.to, Message: e.message})
				}
			}
			for _, e := range m.Early {
				inside = append(inside, messaging.Event{From: n.rank(e.From), To: messaging.ID(k), Message: e.Message})
			}
		}
	}
	for _, e := range transit {
		epoch, m := unwrapped(e.Message)
		if k := slices.Index(n.Members, e.To); m != nil && epoch == n.Present && k >= 0 && inner[k] != nil {
			inside = append(inside, messaging.Event{From: n.rank(e.From), To: messaging.ID(k), Message: m})
		}
	}
	return inner, slices.DeleteFunc(inside, func(e messaging.Event) bool { return inner[e.To] == nil })
}

// unwrapped returns a message of the algorithm and its epoch, or nil.
func unwrapped(m messaging.Message) (epoch uint64, inner messaging.Message) {
	switch m := m.(type) {
	case within:
		return m.Epoch, m.Message
	case suspect, freeze, status, probe, alive, begin, later, silence, impatience,
		election.Hold, bully.Election, bully.Answer, bully.Coordinator, bully.Timeout:
		return 0, nil
	}
	return 0, m
}
