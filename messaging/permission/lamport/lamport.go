// Package lamport implements Lamport's algorithm: every node keeps a queue of all
// requests, and enters when its own is the oldest and no older one can arrive.
//
// # Source
//
// L. Lamport, "Time, clocks, and the ordering of events in a distributed system",
// Communications of the ACM 21(7), 1978, 558-565. The variant with suppressed
// replies is in Prabhakaran, "Mutual Exclusion Algorithms", slide 10.
//
// # Messages
//
//	Request{Of}       node Of.ID asks for the critical section; Of is also the time of sending
//	Reply{At}         the sender has received a request; At is the time of sending
//	Release{Of, At}   the request Of has left or was withdrawn
//
// A Reply need not name the request: all that counts is that a message with a later
// stamp has arrived, whatever its kind.
//
// Links must be FIFO. Otherwise a Reply that overtakes an older Request lets two nodes
// enter, and a Release that overtakes its Request leaves the request in the queue
// forever, and blocks all others.
//
// # State
//
//	Phase   idle, waiting or inside
//	Clock   the logical clock; larger than the stamps of all messages received
//	Mine    the request of this node; none while it is idle
//	Queue   the requests of all nodes that are not over, including its own
//	Last    by node, the largest time received from it
//
// # Properties
//
// Mutual exclusion: when every other node has sent a message younger than Mine, all
// requests older than Mine have arrived, because links are FIFO. So of two requests the
// younger waits for the Release of the older.
//
// Starvation-free. Entries follow the order of the stamps, so no node enters before
// a request that it had received when it made its own. An entry always takes 3(N-1)
// messages. (Reiser 2002, slide 5.6, sends them "to all, including oneself" and
// still counts 3(N-1): a message of a node to itself does not count.) The
// synchronization delay is T. Any crash blocks all nodes.
//
// With suppressed replies, each pair of requests that cross saves one Reply: if m nodes
// ask concurrently, the m entries take 3m(N-1) - m(m-1)/2 messages in total. One entry
// takes 2(N-1) to 3(N-1).
package lamport

import (
	"example.org/doorway/internal/node/requests"
	"example.org/doorway/messaging"
)

// The messages, as above.
type (
	request struct{ Of messaging.Stamp }
	reply   struct{ At messaging.Stamp } // all later messages of the sender are younger than At
	release struct{ Of, At messaging.Stamp }
)

// Protocol is the algorithm, for hosts that are told which one to run.
var Protocol = messaging.Protocol{
	Name:  "lamport",
	New:   func(int) (messaging.Algorithm, error) { return New, nil },
	Kinds: []messaging.Message{request{}, reply{}, release{}},
	FIFO:  true,
}

// Suppressed is the algorithm of NewSuppressed.
var Suppressed = messaging.Protocol{
	Name:  "lamport-suppressed",
	New:   func(int) (messaging.Algorithm, error) { return NewSuppressed, nil },
	Kinds: Protocol.Kinds,
	FIFO:  true,
}

// New returns node start.Self. It is a [messaging.Algorithm] for FIFO links, and
// its nodes implement [messaging.Withdrawer].
func New(start messaging.Start) messaging.Node { return newNode(start, false) }

// NewSuppressed returns node start.Self of the variant with suppressed replies: while
// its own request waits, a node does not reply to an older one, because its own request
// is in transit to that node and serves as the reply. It is a [messaging.Algorithm]
// for FIFO links, and its nodes implement [messaging.Withdrawer].
func NewSuppressed(start messaging.Start) messaging.Node { return newNode(start, true) }

func newNode(start messaging.Start, suppresses bool) *node {
	return &node{start: start, suppresses: suppresses, Last: make([]messaging.Time, start.Nodes)}
}

type node struct {
	start      messaging.Start
	suppresses bool

	Phase messaging.Phase
	Clock messaging.Clock
	Mine  messaging.Stamp
	Queue requests.Queue
	Last  []messaging.Time
}

func (n *node) Request(out messaging.Out) {
	n.Phase, n.Mine = messaging.Waiting, n.Clock.Tick(n.start.Self)
	n.Queue.Insert(n.Mine)
	n.broadcast(request{n.Mine}, out)
	n.enterIfFirst(out)
}

func (n *node) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if why := n.impossible(from, m); why != "" {
		messaging.Refuse("lamport", n.start.Self, from, m, why)
	}
	switch m := m.(type) {
	case request:
		now := n.observe(m.Of)
		n.Queue.Insert(m.Of)
		if n.suppresses && n.Phase == messaging.Waiting && m.Of.Before(n.Mine) {
			break // Mine is in transit to it and younger: it serves as the Reply
		}
		out.Send(from, reply{now})
	case reply:
		n.observe(m.At)
	case release:
		n.observe(m.At)
		n.Queue.Remove(m.Of)
	}
	n.enterIfFirst(out)
}

// observe records that a message sent at that time has arrived, and returns the time
// of its arrival.
func (n *node) observe(at messaging.Stamp) messaging.Stamp {
	n.Last[at.ID] = max(n.Last[at.ID], at.Time)
	n.Clock.Witness(at)
	return n.Clock.Tick(n.start.Self)
}

// enterIfFirst enters if this node's request is the oldest in the queue and no older
// one can arrive.
func (n *node) enterIfFirst(out messaging.Out) {
	if n.Phase == messaging.Waiting && n.Queue.First() == n.Mine && n.laterFromAll(n.Mine) {
		n.Phase = messaging.Inside
		out.Enter()
	}
}

// laterFromAll reports whether a message younger than r has arrived from every other
// node. It uses the stamps of their messages, never the clock of this node.
func (n *node) laterFromAll(r messaging.Stamp) bool {
	for j := range n.start.Others() {
		if !r.Before(messaging.Stamp{Time: n.Last[j], ID: j}) {
			return false
		}
	}
	return true
}

func (n *node) Release(out messaging.Out) {
	n.Phase = messaging.Idle
	n.Queue.Remove(n.Mine)
	n.broadcast(release{Of: n.Mine, At: n.Clock.Tick(n.start.Self)}, out)
	n.Mine = messaging.Stamp{}
}

// Withdraw releases the request: FIFO links keep the Release behind its Request.
func (n *node) Withdraw(out messaging.Out) { n.Release(out) }

func (n *node) broadcast(m messaging.Message, out messaging.Out) {
	for j := range n.start.Others() {
		out.Send(j, m)
	}
}
