// Package heartbeat makes the leader of an election tell the others that it is live. A node that
// has not heard from it for a while holds another election.
//
// # Source
//
// T. D. Chandra, S. Toueg, "Unreliable failure detectors for reliable distributed systems", Journal
// of the ACM 43(2), 1996: suspicion by timeouts, which may be wrong. Only the leader sends, and
// terms distinguish an old leader from a new one, as in D. Ongaro, J. Ousterhout, "In search of an
// understandable consensus algorithm", USENIX ATC 2014.
//
// # Messages
//
//	Beat{Term}   the sender is live, and leads in Term
//	Tick{}       the timer of a node
//
// All others are those of the algorithm that elects, as they are.
//
// # State
//
// Of a node, which holds that of the algorithm as Node:
//
//	Leader   of whom the algorithm has emitted last that it leads; -1: of none
//	Term     in this term
//	Silent   how many timers have expired since it has heard of a leader
//
// # Rules
//
// Each node has a timer, which expires once a period. The leader then sends a Beat to all others.
// Any other node counts. If it has heard of no leader for the timeout, it suspects that there is
// none, and makes the algorithm hold an election, as its user might ([election.Hold]). It does so
// again after each further timeout, until there is a leader. So the first election needs no user.
//
// A Beat counts if it is from the leader that the node follows, in the term that it knows. A leader
// that gets a Beat of a later term no longer leads: it sends no more, and holds an election, in which it
// learns of the other. Any other Beat of another leader changes nothing: either its sender will
// learn that it no longer leads, or the algorithm will tell this node of the new leader.
//
// # Properties
//
// Those of the algorithm when users hold elections whenever a leader has crashed. It must survive
// crashes of which nodes are not told, as Bully does.
//
// A node suspects a leader that has crashed after the timeout, rounded up to whole periods, and at
// most a period more. If a message takes less than the timeout minus a period, no live leader is
// suspected, and there is one leader at a time ([election.OneAtATime]) if no node restarts. If one
// does, or if a message may take longer, two may lead at the same time, in different terms: no
// timeout can exclude that.
//
// With N nodes it takes N-1 messages a period.
package heartbeat

import (
	"fmt"
	"time"

	"example.org/doorway/internal/node/layer"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/election"
)

// beat says that the sender is live and leads in Term.
type beat struct{ Term messaging.Time }

// tick is the timer of a node.
type tick struct{}

// A Config has the times of heartbeats. Nodes of a system have the same.
type Config struct {
	// Period is how often a leader sends a Beat. It must be positive.
	Period time.Duration

	// Timeout is for how long a node hears of no leader before it holds an election: a multiple of
	// Period, or it is rounded up to one. It must be more than Period, and should be more
	// than a period and the time that a message takes.
	Timeout time.Duration
}

// Over returns a, which elects, with heartbeats. It panics if a is nil or c is invalid, and the
// algorithm panics if the nodes of a are locks, or have heartbeats already.
func Over(a messaging.Algorithm, c Config) messaging.Algorithm {
	if a == nil {
		panic("heartbeat: heartbeats of an algorithm that is nil")
	}
	c.check()
	limit := int((c.Timeout-1)/c.Period) + 1
	return func(start messaging.Start) messaging.Node {
		elector := a(start)
		if elector == nil {
			return nil
		}
		if _, lock := messaging.As[messaging.Exclusion](elector); lock {
			panic(fmt.Sprintf("heartbeat: a %T is a lock: only leaders have heartbeats", elector))
		}
		if layer.Has[*node](elector) {
			panic("heartbeat: heartbeats of nodes that have them already")
		}
		return &node{start: start, period: c.Period, limit: limit, Methods: layer.Methods{Node: elector}, Leader: none}
	}
}

// check panics if c is invalid.
func (c Config) check() {
	if c.Period <= 0 || c.Timeout <= c.Period || c.Timeout/c.Period > 1<<20 {
		panic(fmt.Sprintf("heartbeat: a period of %v and a timeout of %v: want 0 < period < timeout, and at most a million periods", c.Period, c.Timeout))
	}
}

// Of returns the protocol of p with heartbeats.
func Of(p messaging.Protocol, c Config) messaging.Protocol {
	c.check()
	return messaging.Protocol{
		Name:      "heartbeat-" + p.Name,
		New:       layer.Over("heartbeat", p, func(a messaging.Algorithm, _ int) messaging.Algorithm { return Over(a, c) }),
		Kinds:     append(append([]messaging.Message{}, p.Kinds...), beat{}, tick{}),
		FIFO:      p.FIFO,
		Perpetual: true,
		Invariant: layer.Invariant[beat](p.Invariant),
		Results:   p.Results,
	}
}

// none is no node.
const none messaging.ID = -1

type node struct {
	start  messaging.Start
	period time.Duration
	limit  int // the timeout, in periods

	layer.Methods // of the node of the algorithm
	Leader        messaging.ID
	Term          messaging.Time
	Silent        int
}

// Can reports whether n is of a kind: what the node of the algorithm is, and always a Starter.
func (n *node) Can(kind any) bool {
	if _, starter := kind.(*messaging.Starter); starter {
		return true
	}
	return n.Methods.Can(kind)
}

func (n *node) Start(out messaging.Out) {
	out.After(n.period, tick{})
	if starter, ok := messaging.As[messaging.Starter](n.Node); ok {
		starter.Start(outlet{out, n})
	}
}

func (n *node) Down(peer messaging.ID, out messaging.Out) { n.Methods.Down(peer, outlet{out, n}) }

func (n *node) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if why := n.impossible(from, m); why != "" {
		messaging.Refuse("heartbeat", n.start.Self, from, m, why)
	}
	switch m := m.(type) {
	case tick:
		n.tick(out)
	case beat:
		n.hear(from, m.Term, out)
	default:
		n.Node.Receive(from, m, outlet{out, n})
	}
}

func (n *node) tick(out messaging.Out) {
	out.After(n.period, tick{})
	if n.Leader == n.start.Self {
		for j := range n.start.Others() {
			out.Send(j, beat{n.Term})
		}
		return
	}
	n.Silent++
	if n.Silent > n.limit { // the first timer may expire at once
		n.hold(out)
	}
}

// hear handles the Beat of node from.
func (n *node) hear(from messaging.ID, term messaging.Time, out messaging.Out) {
	switch {
	case from == n.Leader && term == n.Term:
		n.Silent = 0
	case n.Leader == n.start.Self && term > n.Term:
		n.Leader = none
		n.hold(out)
	}
}

func (n *node) hold(out messaging.Out) {
	n.Silent = 0
	n.Node.Receive(n.start.Self, election.Hold{}, outlet{out, n})
}

// An outlet is the Out that a node presents to that of the algorithm.
type outlet struct {
	messaging.Out
	n *node
}

// Emit notes who leads.
func (o outlet) Emit(v any) {
	if e, ok := v.(election.Elected); ok {
		o.n.Leader, o.n.Term, o.n.Silent = e.Leader, e.Term, 0
	}
	o.Out.Emit(v)
}
