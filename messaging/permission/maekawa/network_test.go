//go:build doorway_explore

package maekawa_test

import (
	"fmt"
	"slices"

	"example.org/doorway/messaging"
)

// A network carries messages in virtual time, each with its own delay.
type network struct {
	sites []*messaging.Site
	delay func(from, to messaging.ID, m messaging.Message) int
	stay  int // the time that a node stays inside
	now   int
	due   []event // by time, then by the order in which they came about
	kinds map[string]int
}

type event struct {
	at       int
	from, to messaging.ID
	message  messaging.Message // nil: node to leaves
	user     func(*messaging.Site)
}

func newNetwork(a messaging.Algorithm, nodes, stay int) *network {
	n := &network{stay: stay, kinds: map[string]int{}}
	n.delay = func(messaging.ID, messaging.ID, messaging.Message) int { return 1 }
	for i := range messaging.ID(nodes) {
		n.sites = append(n.sites, messaging.NewSite(a, messaging.Start{Self: i, Nodes: nodes}, nil))
	}
	return n
}

func (n *network) add(e event) {
	k := len(n.due)
	for k > 0 && n.due[k-1].at > e.at {
		k--
	}
	n.due = slices.Insert(n.due, k, e)
}

// request has node i ask at that time.
func (n *network) request(at int, i messaging.ID) {
	n.add(event{at: at, to: i, user: (*messaging.Site).Request})
}

// run executes all events, and returns the messages sent.
func (n *network) run() string {
	for len(n.due) > 0 {
		e := n.due[0]
		n.due = n.due[1:]
		n.now = e.at
		s := n.sites[e.to]
		before := s.Phase()
		if e.message != nil {
			s.Receive(e.from, e.message)
		} else {
			e.user(s)
		}
		for _, m := range s.Sends {
			n.kinds[fmt.Sprintf("%T", m.Message)]++
			n.add(event{at: n.now + n.delay(e.to, m.To, m.Message), from: e.to, to: m.To, message: m.Message})
		}
		s.Done()
		if before != messaging.Inside && s.Phase() == messaging.Inside {
			n.add(event{at: n.now + n.stay, to: e.to, user: (*messaging.Site).Release})
		}
	}
	return fmt.Sprint(n.kinds)
}

func (n *network) waiting() []messaging.ID {
	var all []messaging.ID
	for i, s := range n.sites {
		if s.Phase() == messaging.Waiting {
			all = append(all, messaging.ID(i))
		}
	}
	return all
}
