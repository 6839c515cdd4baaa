package maekawa_test

import (
	"fmt"
	"slices"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/maekawa"
)

// A network carries messages in virtual time, each with its own delay.
type network struct {
	sites []*messaging.Site
	delay func(from, to messaging.ID, m messaging.Message) int
	stay  int // the time that a node stays inside
	now   int
	due   []event // by time, then by the order in which they came about
	kinds map[string]int
	visit []visit
}

type event struct {
	at       int
	from, to messaging.ID
	message  messaging.Message // nil: node to leaves
	user     func(*messaging.Site)
}

type visit struct {
	node        messaging.ID
	entry, exit int
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
			n.visit = append(n.visit, visit{e.to, n.now, n.now + n.stay})
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

// A tally counts the messages to other nodes by request.
type tally struct {
	kinds   map[string]int
	of      map[messaging.Stamp]int
	entries int
}

// counted returns the algorithm with its messages and entries counted.
func (t *tally) counted(a messaging.Algorithm) messaging.Algorithm {
	t.kinds, t.of = map[string]int{}, map[messaging.Stamp]int{}
	return func(start messaging.Start) messaging.Node {
		return &counted{a(start).(messaging.Exclusion), start.Self, t}
	}
}

type counted struct {
	node  messaging.Exclusion
	self  messaging.ID
	tally *tally
}

func (c *counted) Request(out messaging.Out) { c.node.Request(counter{out, c}) }
func (c *counted) Release(out messaging.Out) { c.node.Release(counter{out, c}) }
func (c *counted) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	c.node.Receive(from, m, counter{out, c})
}

type counter struct {
	messaging.Out
	*counted
}

func (c counter) Enter() {
	c.tally.entries++
	c.Out.Enter()
}

func (c counter) Send(to messaging.ID, m messaging.Message) {
	if to != c.self {
		c.tally.kinds[fmt.Sprintf("%T", m)]++
		c.tally.of[stamp(m)]++
	}
	c.Out.Send(to, m)
}

func stamp(m messaging.Message) messaging.Stamp {
	switch m := m.(type) {
	case maekawa.Request:
		return m.Of
	case maekawa.Locked:
		return m.To
	case maekawa.Failed:
		return m.To
	case maekawa.Inquire:
		return m.To
	case maekawa.Relinquish:
		return m.Of
	case maekawa.Release:
		return m.Of
	}
	panic(fmt.Sprintf("%T", m))
}
